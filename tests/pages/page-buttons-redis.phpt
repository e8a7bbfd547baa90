--TEST--
ratelimit.php: buttons look up, reset, ban and unban; errors are shown, names escaped (Redis)
--EXTENSIONS--
ratelimit
session
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/page-buttons.inc';
$redis = new RedisServer(['--requirepass', 'pa55']);
$dsn = strtr($redis->dsn(), ['unix://' => 'unix://:pa55@']);
$server = app(['ratelimit.store' => $dsn, 'ratelimit.on_failure' => 'throw'],
	4, ['RATELIMIT_PASSWORD' => PASSWORD]);
page_scenario($server);

/* The servers are shown, their passwords not; and a Redis that is away is no end of the page. */
$admin = $server->visitor();
log_in($admin);
ok(str_contains(part($admin, 'servers'), 'closed: answers'), 'the server answers: ' . part($admin, 'servers'));
ok(!str_contains($admin->get('/ratelimit.php')->body, 'pa55'), 'no password');
button($admin, 'look', ['name' => 'comment', 'id' => '7', 'limits' => '10/30s']);
$redis->stop();
same(200, $admin->get('/ratelimit.php')->status, 'the page without Redis');
same('unknown', watched($admin)[0]['state'], 'what is watched is unknown');
same(503, $server->visitor()->post('/api/comment')->status, 'as it is to the application');
ok(str_contains(part($admin, 'servers'), 'open: not asked'), 'and why');
done();
?>
--EXPECT--
done
