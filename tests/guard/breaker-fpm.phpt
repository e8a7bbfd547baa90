--TEST--
php-fpm: a silent Redis costs all workers one attempt per retry delay, and one line in the log
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
require __DIR__ . '/breaker-listener.inc';
const WORKERS = 8;
$listener = new SilentListener();
chmod(dirname($listener->socket), 0755);
chmod($listener->socket, 0777);
$log = dirname($listener->socket) . '/php.log';
touch($log);
chmod($log, 0666);
$fpm = new Fpm(['ratelimit.store' => "unix://$listener->socket?connect_timeout=50&timeout=50&retry_delay=400", 'error_log' => $log], ['www' => ['pm.max_children' => (string) WORKERS]]);
$start = stopwatch();
$stores = [];
while (($took = stopwatch() - $start) < 2.5) {
	$stores = array_merge($stores, $fpm->together(2 * WORKERS, 'hold(2); return FrequencyLimit::check("fpm", getmypid(), 3600, 1000000)->store;'));
}
same(['local'], array_values(array_unique($stores)), 'on_failure decides');
/* At first each worker may be on its way. */
$most = WORKERS + (int) ceil($took / 0.4) + 1;
between(2, $listener->attempts(), $most, 'attempts of ' . WORKERS . ' workers');
ok(count($stores) > 4 * $most, count($stores) . ' requests');
same(1, preg_match_all('/ratelimit: Redis at .* is away/', file_get_contents($log)), 'lines in the log: ' . file_get_contents($log));

/* A reload keeps the circuit breaker's state. */
$since = $fpm('return FrequencyLimit\Monitor::stats()["servers"][0]["since"];');
$fpm->reload();
$server = $fpm('return FrequencyLimit\Monitor::stats()["servers"][0];');
ok($server['since'] >= $since, "away since $since s, and after a reload since {$server['since']} s");
done();
?>
--EXPECT--
done
