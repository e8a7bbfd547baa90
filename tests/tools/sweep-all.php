<?php
/* Runs the complete sweep (scripts/long.sh sweep), or that of the named scenarios: "labels", or "labels:twice" for one way to die. */

require __DIR__ . '/../include/stepper.inc';
require __DIR__ . '/../include/redis.inc';

$all = ['insert', 'running', 'cold', 'roll-over', 'ban', 'reset', 'action-ban', 'action-unban', 'evict', 'several', 'several-insert', 'several-ban', 'several-bans',
	'sliding-log', 'sliding-window', 'token-bucket', 'fixed-window', 'calendar-window', 'allowed-window', 'attributed-window', 'window-insert', 'word-to-record', 'record-to-word', 'next-base', 'base-before', 'evict-word', 'ban-word', 'bans-word', 'ban-full', 'evict-ban', 'limiter-reset', 'places', 'places-first', 'places-again',
	'places-dead', 'places-full', 'places-released', 'places-emptied', 'places-renewed', 'acquired-window', 'settled-window', 'cancelled-log', 'cancelled-bucket',
	'cancelled-sliding-window', 'costs', 'labels', 'labels-refused', 'labels-begun', 'leased', 'remembered', 'mirrored', 'mirrored-several', 'owed'];
$failed = false;
$redis = null;
foreach (array_slice($argv, 1) ?: $all as $scenario) {
	[$scenario, $only] = [...explode(':', $scenario), null];
	foreach ($only === null ? ['kill', 'hold', 'twice'] : [$only] as $how) {
		$start = hrtime(true);
		$ini = match ($scenario) {
			'evict', 'evict-word', 'evict-ban', 'ban-full' => ['ratelimit.shm_size' => '1M'],
			'leased', 'remembered' => ['ratelimit.store' => ($redis = new RedisServer())->dsn('?deny_cache=3600000'), 'ratelimit.on_failure' => 'throw'],
			'mirrored', 'mirrored-several' => ['ratelimit.store' => ($redis = new RedisServer())->dsn('?deny_cache=0'), 'ratelimit.on_failure' => 'local'],
			'owed' => ['ratelimit.store' => 'unix:///nowhere/redis?retry_delay=3600000', 'ratelimit.on_failure' => 'local', 'error_log' => '/dev/null'],
			'apcu-increment' => ['apc.enable_cli' => 1],
			default => [],
		};
		$report = sweep($scenario, $how, 0.0, $ini);
		$bad = $report->blocked || $report->broken || $report->waited_us >= Waiting::LATE_US;
		$failed = $failed || $bad;
		printf("%-15s %-5s %s; %.0f s%s\n", $scenario, $how, $report, (hrtime(true) - $start) / 1e9, $bad ? '  FAILED' : '');
		foreach (array_slice($report->blocked + $report->broken, 0, 10, true) as $k => $why) {
			echo "    after instruction $k: $why\n";
		}
	}
}
exit((int) $failed);
