--TEST--
A call on Redis needs no more client instructions than bounds.inc allows, and its mirror no more of them
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
store_options(connect_timeout: 60000, timeout: 60000, deny_cache: 0);
$redis = new RedisServer();
$settings = ['store' => $redis->dsn(), 'on_failure' => 'throw'];
[$counts, $compiler] = instructions(['dohandle'], $settings);
foreach (['dohandle' => 'FrequencyLimit::doHandle("like", $i % 100 + 1, 3600, 100000)', 'consume' => '$limiter->consume($i % 100)'] as $name => $call) {
	$counts['mirror'][$name] = instructions_of(['rl_mirror_begin', 'rl_mirror_note*'], $call, $settings);
}
within_bounds($counts, "$compiler, redis");
done();
?>
--EXPECT--
done
