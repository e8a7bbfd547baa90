--TEST--
A doHandle() on Redis needs no more client instructions than bounds.inc allows
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/instructions.inc';
require __DIR__ . '/../include/redis.inc';
needs_callgrind();
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/instructions.inc';
require __DIR__ . '/../include/redis.inc';
$redis = new RedisServer();
$settings = ['store' => $redis->dsn(), 'on_failure' => 'throw', 'deny_cache' => '0', 'connect_timeout' => '60000', 'timeout' => '60000'];
[$counts, $compiler] = instructions(['dohandle'], $settings);
within_bounds($counts, "$compiler, redis");
done();
?>
--EXPECT--
done
