--TEST--
Two machines and one Redis that pauses at random: each answer is the model's, and what passes is within its bound
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../model/outages.inc';
store_options(connect_timeout: 30, timeout: 30, retry_delay: 100, deny_cache: 0);
$program = new OutageProgram(new RedisServer(), machines: 2);
$program->run(1600, seed: 1);
ok($program->outages > 10 && $program->fallback > 300, "$program->outages outages, $program->fallback decisions of the fallback");
/* One machine admits the limit, and no more than one for each request without a reply. */
$program = new OutageProgram(new RedisServer(), machines: 1);
$program->run(800, seed: 2);
ok($program->beyond <= 6, "at most $program->beyond beyond the limit");
done();
?>
--EXPECT--
done
