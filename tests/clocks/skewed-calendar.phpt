--TEST--
Web servers with different clocks share one hour on Redis: the hour of its clock
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_tool('simclock.so');
needs_stopped_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/simclock.inc';
/* Redis: 17:59:30 UTC. One server has 17:57:30, the other 18:01:30. */
$now = 1_900_000_770_000_000;
$clock = new SimClock($now);
$redis = $clock->redis();
$clocks = [new SimClock($now - 120_000_000), new SimClock($now + 120_000_000)];
$servers = array_map(fn ($own) => new SimPhp($own, ['ratelimit.store' => $redis->dsn('?deny_cache=0'), 'ratelimit.on_failure' => 'throw', 'date.timezone' => 'UTC']), $clocks);
foreach ($servers as $server) {
	$server('$GLOBALS["l"] = new FrequencyLimit\Limiter("hour", FrequencyLimit\Limit::calendar(5, FrequencyLimit\Period::Hour));');
}
$round = function () use ($servers): array {
	$answers = [];
	for ($i = 0; $i < 8; $i++) {
		$answers[] = $servers[$i % 2]('$r = $GLOBALS["l"]->consume(1); return [$r->accepted, $r->retryAfter];');
	}
	return [array_sum(array_column($answers, 0)), array_column($answers, 1)];
};
same([5, [0.0, 0.0, 0.0, 0.0, 0.0, 30.0, 30.0, 30.0]], $round(), 'at 17:59:30');
foreach ([$clock, ...$clocks] as $one) {
	$one->advance(29_999_999);
}
same(0, $round()[0], 'a microsecond before 18:00');
foreach ([$clock, ...$clocks] as $one) {
	$one->advance(1);
}
same([5, [0.0, 0.0, 0.0, 0.0, 0.0, 3600.0, 3600.0, 3600.0]], $round(), 'at 18:00');
done();
?>
--EXPECT--
done
