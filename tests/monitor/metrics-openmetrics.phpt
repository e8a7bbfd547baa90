--TEST--
The reference parser of OpenMetrics accepts metrics(), for any names, with the numbers of stats() and limiters()
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/metrics.inc';
require __DIR__ . '/../include/redis.inc';
needs_parser();
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';
require __DIR__ . '/../include/redis.inc';
use FrequencyLimit\{Limit, Limiter};

ini_set('error_log', '/dev/null'); // a server that is away, and a file that is missing, are news

same(0, array_sum(array_diff_key(parsed(FrequencyLimit\Monitor::metrics()), array_flip(preg_grep('/build_info|segment_bytes|slots|records|workers|le=/', array_keys(parsed(FrequencyLimit\Monitor::metrics())))))), 'at first');

$redis = new RedisServer();
store_options(timeout: 20000);
$limiter = new Limiter("a\"b\\c\nd\0e\xffü", [Limit::fixedWindow(2, 60)->ban(60)->named('account'), Limit::fixedWindow(1, 60)->shadow()]);
$remote = new Limiter('remote', Limit::fixedWindow(2, 60), $redis->dsn());
for ($i = 0; $i < 5; $i++) {
	$limiter->allow(7);
	$remote->allow(7);
	FrequencyLimit::doHandle('like', 7, 60, 3);
}
$text = FrequencyLimit\Monitor::metrics();
ok(str_ends_with($text, "\n# EOF\n"), 'the end');
ok(!str_contains($text, "\r") && preg_match('//u', $text) === 1, 'UTF-8');
$samples = parsed($text);
$labels = 'name=a"b\\c\\x0ad\\x00e\\xffü}';
same([5, 3, 1, 4, 1], array_map(fn (string $name): int => (int) $samples["ratelimit_limiter_{$name}_total{kind=limiter,$labels"],
	['decisions', 'refusals', 'bans', 'shadow_refusals', 'near_misses']), 'a limiter of any bytes');
same([3, 1], [(int) $samples["ratelimit_limit_refusals_total{kind=limiter,limit=account,$labels"], (int) $samples["ratelimit_limit_bans_total{kind=limiter,limit=account,$labels"]], 'its limit');
same(2, (int) $samples['ratelimit_limiter_refusals_total{kind=action,name=like}'], 'an action');
$stats = FrequencyLimit\Monitor::stats();
same([$stats['decisions'], $stats['refusals'], $stats['bans'], $stats['redis_decisions'], $stats['bytes'], $stats['slots']],
	array_map(fn (string $name): int => (int) $samples["ratelimit_$name}"], ['decisions_total{store=shm', 'refusals_total{store=shm', 'bans_total{store=shm',
	'decisions_total{store=redis', 'segment_bytes{', 'slots{']), 'the numbers of stats()');
same(count($stats['warnings']), (int) $samples['ratelimit_config_warnings{}'], 'no warning');
@ini_set('ratelimit.limiters', '/nowhere/limiters.ini');
try {
	Limiter::named('x');
} catch (FrequencyLimit\InvalidArgument) {
}
same([1, 1], [count(FrequencyLimit\Monitor::stats()['warnings']), (int) parsed(FrequencyLimit\Monitor::metrics())['ratelimit_config_warnings{}']], 'a warning');
ini_set('ratelimit.limiters', '');
$server = 'server=' . strtok($redis->dsn(), '?'); // options are no part of it
same([1, 0, 0], array_map(fn (string $state): int => (int) $samples["ratelimit_redis_breaker{ratelimit_redis_breaker=$state,$server}"], ['closed', 'open', 'half-open']), 'a server');
$answered = (int) $samples["ratelimit_redis_latency_seconds_count{{$server}}"];
same([$answered, true], [(int) $samples["ratelimit_redis_latency_seconds_bucket{le=+Inf,$server}"], $answered >= 3], 'its latencies');
ok($samples["ratelimit_redis_latency_seconds_sum{{$server}}"] > 0, 'their sum');
ok(!str_contains($text, '="7"'), 'no identity');
$redis->stop();
$remote->allow(8); // 7 is in the deny cache
$remote->allow(9);
$samples = parsed(FrequencyLimit\Monitor::metrics());
same([0, 1], array_map(fn (string $state): int => (int) $samples["ratelimit_redis_breaker{ratelimit_redis_breaker=$state,$server}"], ['closed', 'open']), 'a server that is away');

/* Each name is a series of its own: a byte, and the text that a byte is written as. */
foreach (["a\x01", 'a\x01', 'a\x5cx01', 'A\Xx', "\xff", '\xff'] as $name) {
	(new Limiter($name, Limit::fixedWindow(9, 60)))->consume(7, 9);
	(new Limiter($name, Limit::fixedWindow(9, 60)))->allow(7);
}
$names = preg_replace('/ \S+$/', '', preg_grep('/^#/', explode("\n", trim(FrequencyLimit\Monitor::metrics())), PREG_GREP_INVERT));
same([], array_diff_assoc($names, array_unique($names)), 'no series comes twice');
done();
?>
--EXPECT--
done
