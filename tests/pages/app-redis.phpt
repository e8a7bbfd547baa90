--TEST--
The application's API counts at every endpoint, refuses with 429, headers and reason, and resets (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/app.inc';
$redis = new RedisServer();
app_scenario(app(['ratelimit.store' => $redis->dsn(), 'ratelimit.on_failure' => 'throw']), 'redis');
done();
?>
--EXPECT--
done
