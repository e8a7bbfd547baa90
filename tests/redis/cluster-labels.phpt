--TEST--
In a cluster, limits with identities of their own pass exactly to the limits, and refused parts go back
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';
$redis = new RedisCluster(3, 0);
ini_set('ratelimit.store', $redis->dsn());
require __DIR__ . '/../concurrency/labels.inc';
done();
?>
--EXPECT--
done
