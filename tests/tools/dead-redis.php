<?php
/* Measures the cost of a dead Redis (scripts/long.sh dead-redis):
 *
 *     php -d ratelimit.store=unix://SOCKET … dead-redis.php SECONDS
 *
 * It runs nginx, php-fpm with 8 workers and this PHP's settings, and wrk: while Redis answers, while it is down, and while
 * it is silent. It prints a line of figures for each, as JSON. */

require __DIR__ . '/../include/store.inc';
require __DIR__ . '/../../bench/lib/WebServer.php';

const WORKERS = 8;
$seconds = (int) ($argv[1] ?? 8);
$root = temp_folder(0755);
file_put_contents("$root/page.php", '<?php
	$r = FrequencyLimit::check("page", mt_rand(1, 10000), 60, 1000000);
	http_response_code($r->accepted ? 200 : 429);
	echo $r->store;');
file_put_contents("$root/stats.php", '<?php echo json_encode(FrequencyLimit\Monitor::stats());');

$redis = new RedisServer();
$site = new WebServer($root, WORKERS, ['ratelimit.store' => $redis->dsn()]);
$stats = fn (): array => json_decode($site->get('/stats'), true);
foreach ([
	'answers' => [fn () => null, fn () => null],
	'is gone' => [fn () => $redis->stop(), fn () => $redis->start()],
	'is silent' => [fn () => $redis->signal(19), fn () => $redis->signal(18)],
] as $what => [$begin, $end]) {
	exec("wrk -t1 -c16 -d1s $site->url/page 2>&1"); // warm, and on Redis
	$begin();
	$before = $stats();
	exec("wrk -t1 -c16 -d{$seconds}s --latency $site->url/page 2>&1", $lines);
	$after = $stats();
	$end();
	$said = implode("\n", $lines);
	$lines = [];
	preg_match('~(\d+) requests in ([\d.]+)(\w+)~', $said, $requests);
	preg_match('~^\s+50%\s+(\S+)~m', $said, $median);
	preg_match('~^\s+99%\s+(\S+)~m', $said, $p99);
	preg_match('~^\s+Latency\s+\S+\s+\S+\s+(\S+)~m', $said, $worst);
	$failures = $after['redis_errors'] - $before['redis_errors'];
	echo json_encode(['redis' => $what, 'requests' => (int) $requests[1],
		'requests_per_second' => (int) ($requests[1] / $seconds), 'median' => $median[1], 'p99' => $p99[1], 'longest' => $worst[1],
		'calls_that_waited' => $failures, 'of_10000' => round(1e4 * $failures / max(1, $requests[1]), 2),
		'bad_statuses' => (int) (preg_match('/Non-2xx or 3xx responses: (\d+)/', $said, $bad) ? $bad[1] : 0)]), "\n";
	pause(1.5); // the circuit breaker closes
}
