<?php
/* Measures what a Redis that stutters costs, and what it lets through (scripts/long.sh dead-redis):
 *
 *     php -d extension=… stutter.php SECONDS
 *
 * Eight workers make a call each 2 ms, about five identities of 200 permits each; the policy is local. It prints a line for
 * each fault, as JSON: decisions, those of the fallback, calls that waited, and the admitted calls of 1,000. */

require __DIR__ . '/../include/proxy.inc';
require __DIR__ . '/../include/topology.inc';

const WORKERS = 8, IDENTITIES = 5, LIMIT = 200;
$seconds = (float) ($argv[1] ?? 4);
store_options(connect_timeout: 200, timeout: 100, retry_delay: 1000, deny_cache: 0); /* the defaults, but each call asks Redis */
ini_set('error_log', '/dev/null');

function stutter(string $what, string $dsn, float $seconds, callable $begin, callable $later): void
{
	ini_set('ratelimit.store', $dsn);
	$limiter = new FrequencyLimit\Limiter("stutter $what", FrequencyLimit\Limit::fixedWindow(LIMIT, 3600));
	$limiter->consume('the script is known');
	$begin();
	$start = stopwatch();
	$answers = in_processes(WORKERS + 1, function (int $worker) use ($limiter, $seconds, $start, $later): array {
		$seen = ['decisions' => 0, 'fallback' => 0, 'waited' => 0, 'admitted' => 0, 'longest_ms' => 0];
		if ($worker === WORKERS) {
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
			$seen['longest_ms'] = max($seen['longest_ms'], (int) round(1000 * $took));
			pause(0.002);
		}
		return $seen;
	});
	$sum = ['redis' => $what];
	foreach (array_keys($answers[0]) as $key) {
		$sum[$key] = $key === 'longest_ms' ? max(array_column($answers, $key)) : array_sum(array_column($answers, $key));
	}
	$sum['fallback_percent'] = round(100 * $sum['fallback'] / $sum['decisions'], 1);
	$sum['permits'] = IDENTITIES * LIMIT;
	echo json_encode($sum), "\n";
}

$nothing = fn () => null;
/* A server of its own for each fault, so that each circuit breaker begins closed. */
foreach (['answers' => 0, '0.1 % late' => 1000, '1 % late' => 100, '10 % late' => 10, '50 % late' => 2] as $what => $nth) {
	$redis = new RedisServer();
	$proxy = new FaultProxy($redis->socket);
	stutter($what, $proxy->dsn(), $seconds, $nth === 0 ? $nothing : fn () => $proxy->rule('EVALSHA', -$nth, 'delay-reply', 210), $nothing);
}
foreach (['150 ms pause' => 0.15, '2 s pause' => 2.0] as $what => $pause) {
	$redis = new RedisServer();
	stutter($what, $redis->dsn(), $seconds, $nothing, function () use ($redis, $pause, $seconds): void {
		pause($seconds / 40);
		$redis->signal(19);
		pause($pause);
		$redis->signal(18);
	});
}
foreach (['stops' => 19, 'dies' => 9] as $what => $signal) {
	$redis = new RedisServer();
	stutter($what, $redis->dsn(), $seconds, $nothing, function () use ($redis, $signal, $seconds): void {
		pause($seconds / 40);
		$redis->signal($signal);
	});
	$redis->signal(18);
}
$cluster = new RedisCluster(3);
stutter('a node of three stops', $cluster->dsn(), $seconds, $nothing, function () use ($cluster, $seconds): void {
	pause($seconds / 40);
	$cluster->nodes[0]->signal(19);
});
$cluster->nodes[0]->signal(18);
