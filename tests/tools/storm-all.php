<?php
/* Runs both storms (scripts/long.sh storm): storm-all.php SECONDS ours|apcu */

require __DIR__ . '/../include/php.inc';

[, $seconds, $whom] = $argv;
$failed = false;
foreach (['kill', 'stop'] as $how) {
	/* Room for all states of a minute: other tests check evictions. */
	$room = $whom === 'ours' ? ['ratelimit.shm_size' => '1G'] : [];
	[$exit, $output] = run_command(php_command($room, [__DIR__ . '/storm.php', $how, $seconds, '8', $whom]));
	$figures = json_decode($output, true);
	if ($exit !== 0 || !is_array($figures)) {
		echo "$how: exit code $exit: $output\n";
		exit(1);
	}
	$bad = $figures['over_limit'] > 0 || $figures['lost_without_a_death'] > 0 || $figures['waited']
		|| $figures['hung'] || ($figures['after'] ?? 'exact') !== 'exact';
	$failed = $failed || $bad;
	echo $how === 'kill' ? "a worker killed every 2 ms\n" : "a worker stopped for 2 ms, again and again\n";
	foreach ($figures as $name => $value) {
		$value = is_bool($value) ? ($value ? 'yes' : 'no') : $value;
		printf("    %-22s %s\n", str_replace('_', ' ', $name), is_float($value) ? number_format($value, $name === 'seconds' ? 1 : 0) :
			(is_int($value) ? number_format($value) : $value));
	}
	echo $bad ? "    FAILED\n" : '';
}
exit((int) $failed);
