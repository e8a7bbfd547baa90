--TEST--
A silent Redis costs 8 workers one attempt per retry delay; all other calls return at once
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/breaker-listener.inc';
store_options(connect_timeout: 50, timeout: 50, retry_delay: 300);
const WORKERS = 8, SECONDS = 2.0;
$listener = new SilentListener();
use_store("unix://$listener->socket");
ini_set('error_log', dirname($listener->socket) . '/log');

$began = stopwatch();
$answers = in_processes(WORKERS, function () {
	$calls = 0;
	$start = stopwatch();
	while (stopwatch() - $start < SECONDS) {
		$store = FrequencyLimit::check('breaker', getmypid(), 3600, 1000000)->store;
		if ($store !== 'local') {
			throw new \Exception("decided by $store");
		}
		$calls++;
		pause(0.001);
	}
	return $calls;
});
/* At first each worker may have a request in flight; then one worker probes, and no other does for the delay. */
$most = WORKERS + (int) ceil((stopwatch() - $began) / 0.3);
between(1 + 3, $listener->attempts(), $most, 'attempts of the machine');
$calls = array_sum($answers);
/* If each of them waited, there would be 40 of each worker. */
ok($calls > 60 * WORKERS, "$calls decisions");

$facts = server_facts("unix://$listener->socket");
ok(in_array($facts['state'], ['open', 'half-open'], true), "state {$facts['state']}");
between(SECONDS - 0.5, $facts['since'], 60, 'away since the first failure');
between(4, $facts['failures'], $most, 'failures');
same(1, preg_match_all('/is away/', file_get_contents(ini_get('error_log'))), 'one line in the log');
done();
?>
--EXPECT--
done
