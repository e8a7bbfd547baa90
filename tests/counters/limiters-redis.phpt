--TEST--
Decisions, refusals, bans, shadow refusals and near misses count by limiter and by limit (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/limiters.inc';
require __DIR__ . '/../include/redis.inc';
$redis = new RedisServer();
store_options(timeout: 20000, connect_timeout: 20000);
scenario_limiters($redis->dsn());
done();
?>
--EXPECT--
done
