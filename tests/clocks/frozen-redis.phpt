--TEST--
Redis admits exactly the limit to eight workers on a frozen clock, and again when the window ends
--EXTENSIONS--
ratelimit
pcntl
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
$clock = new SimClock();
$redis = $clock->redis();
use_redis($redis);
$asked = [
	'doHandle' => fn () => FrequencyLimit::doHandle('a', 1, 10, 100),
	'isActionAllowed' => fn () => FrequencyLimit::isActionAllowed(1, 'a', 10, 100),
	'limiter' => fn () => (new FrequencyLimit\Limiter('l', [FrequencyLimit\Limit::fixedWindow(100, 10),
		FrequencyLimit\Limit::tokenBucket(100, 10)]))->consume(1)->accepted,
];
foreach ($asked as $name => $ask) {
	for ($window = 0; $window < 3; $window++) {
		same(100, array_sum(in_processes(8, fn () => array_sum(array_map(fn () => (int) $ask(), range(1, 50))))), "$name, window $window");
		/* To its very end; the counter's key exists through its last millisecond. */
		$clock->advance($name === 'doHandle' ? 10_001_000 : 10_000_000);
	}
}

function use_redis(RedisServer $redis): void
{
	ini_set('ratelimit.store', $redis->dsn());
	store_options(deny_cache: 0);
	ini_set('ratelimit.on_failure', 'throw');
}
done();
?>
--EXPECT--
done
