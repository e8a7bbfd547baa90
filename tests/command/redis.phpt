--TEST--
bin/ratelimit on Redis: peek, reset, ban and unban work; an unreachable Redis is exit code 3
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/command.inc';
$store = test_store('redis');
$ini = ['ratelimit.timeout' => '20000', 'ratelimit.connect_timeout' => '20000'];
command_scenario($ini + ['ratelimit.store' => $store->server->dsn()], 'redis');

[$exit, $out, $errors] = ratelimit(['peek', 'a', '1', '--limit=1/60s', '--store', $store->server->dsn()], $ini);
same([0, ''], [$exit, $errors], '--store, from a PHP that has another');
$store->server->stop();
[$exit, $out, $errors] = ratelimit(['peek', 'a', '1', '--limit=1/60s', '--store', $store->server->dsn()], $ini);
same([3, ''], [$exit, $out], 'a Redis that is away');
ok(str_contains($errors, 'ratelimit: '), "it says so: $errors");
done();
?>
--EXPECT--
done
