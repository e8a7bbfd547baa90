<?php
/* Measures what a Redis that stutters costs, and what it lets through (scripts/long.sh outage):
 *
 *     php -d extension=… outage.php SECONDS
 *
 * Eight workers, then one, make a call each 2 ms, about five identities of 200 permits each; the policy is local. It prints the table of
 * docs/redis.md. */

require __DIR__ . '/../tests/include/proxy.inc';
require __DIR__ . '/../tests/include/topology.inc';

const IDENTITIES = 5, LIMIT = 200;
$seconds = (float) ($argv[1] ?? 4);
store_options(connect_timeout: 200, timeout: 100, retry_delay: 1000, deny_cache: 0); /* the defaults, but each call asks Redis */
ini_set('error_log', '/dev/null');

function measure(int $workers, string $dsn, float $seconds, callable $begin, callable $later): string
{
	ini_set('ratelimit.store', $dsn);
	$limiter = new FrequencyLimit\Limiter("outage $workers", FrequencyLimit\Limit::fixedWindow(LIMIT, 3600));
	$limiter->consume('the script is known');
	$begin();
	$start = stopwatch();
	$answers = in_processes($workers + 1, function (int $worker) use ($workers, $limiter, $seconds, $start, $later): array {
		$seen = ['decisions' => 0, 'fallback' => 0, 'waited' => 0, 'admitted' => 0];
		if ($worker === $workers) {
			$later();
			return $seen;
		}
		for ($i = $worker; ($began = stopwatch()) - $start < $seconds; $i++) {
			$r = $limiter->consume('identity ' . $i % IDENTITIES);
			$took = stopwatch() - $began;
			$seen['decisions']++;
			$seen['fallback'] += (int) ($r->store === 'local');
			$seen['waited'] += (int) ($took > 0.09);
			$seen['admitted'] += (int) $r->accepted;
			pause(0.002);
		}
		return $seen;
	});
	$sum = [];
	foreach (array_keys($answers[0]) as $key) {
		$sum[$key] = array_sum(array_column($answers, $key));
	}
	$percent = 100 * $sum['fallback'] / $sum['decisions'];
	return sprintf(' %s %% | %s of %s | %s |', $percent > 0 && $percent < 2 ? sprintf('%.1f', $percent) : round($percent), number_format($sum['waited']),
		number_format($sum['decisions']), number_format($sum['admitted']));
}

/* A server of its own for each row and number of workers, so that each circuit breaker begins closed. */
function row(string $what, callable $measure): void
{
	echo "| $what |", $measure(8), $measure(1), "\n";
}

function signalled(RedisServer $redis, float $seconds, int $signal, ?float $pause = null): callable
{
	return function () use ($redis, $seconds, $signal, $pause): void {
		pause($seconds / 40);
		$redis->signal($signal);
		if ($pause !== null) {
			pause($pause);
			$redis->signal(18);
		}
	};
}

echo '| Redis |', str_repeat(' fallback | calls that waited | admitted, of 1,000 |', 2), "\n|---|", str_repeat('--:|', 6), "\n";
$nothing = fn () => null;
foreach (['answers' => 0, '0.1 % of the replies are late' => 1000, '1 % are late' => 100, '10 % are late' => 10, '50 % are late' => 2] as $what => $nth) {
	row($what, function (int $workers) use ($seconds, $nothing, $nth): string {
		$redis = new RedisServer();
		$proxy = new FaultProxy($redis->socket);
		return measure($workers, $proxy->dsn(), $seconds, $nth === 0 ? $nothing : fn () => $proxy->rule('EVALSHA', -$nth, 'delay-reply', 210), $nothing);
	});
}
foreach (['pauses for 150 ms' => [19, 0.15], 'pauses for 2 s' => [19, 2.0], 'stops' => [19, null], 'dies' => [9, null]] as $what => [$signal, $pause]) {
	row($what, function (int $workers) use ($seconds, $nothing, $signal, $pause): string {
		$redis = new RedisServer();
		$row = measure($workers, $redis->dsn(), $seconds, $nothing, signalled($redis, $seconds, $signal, $pause));
		$redis->signal(18);
		return $row;
	});
}
row('one node of three stops', function (int $workers) use ($seconds, $nothing): string {
	$cluster = new RedisCluster(3);
	$row = measure($workers, $cluster->dsn(), $seconds, $nothing, signalled($cluster->nodes[0], $seconds, 19));
	$cluster->nodes[0]->signal(18);
	return $row;
});
