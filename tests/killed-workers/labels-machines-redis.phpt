--TEST--
Machines that are killed while they take from two limits on one Redis: never one permit too many, one lost by each
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/../include/tools.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/labels-machines.inc';

$redis = new RedisServer;
ini_set('ratelimit.store', $redis->dsn());
play_machines();
done();
?>
--EXPECT--
done
