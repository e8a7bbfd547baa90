--TEST--
bin/ratelimit shares a segment file: peek, reset, ban, unban, exit codes, --json, stats and watch
--EXTENSIONS--
ratelimit
--FILE--
<?php
/* The file is named before PHP starts. */
require __DIR__ . '/command.inc';
$ini = ['ratelimit.shm_path' => temp_folder() . '/segment', 'ratelimit.shm_size' => '1M'];
[, $said] = run_command(php_command($ini, ['-r', 'require ' . var_export(__DIR__ . '/command.inc', true) . ';
	command_scenario(' . var_export($ini, true) . ', "shm");
	$stats = fn (...$words) => ratelimit($words, ' . var_export($ini, true) . ');
	[$exit, $out] = $stats("stats", "--json");
	same([0, FrequencyLimit\Monitor::stats()["decisions"], "file"], [$exit, json_decode($out, true)["decisions"], json_decode($out, true)["segment"]], "stats");
	ok(preg_match("/^decisions        \d+$/m", $stats("stats")[1]) === 1, "as text");
	[$exit, $out] = $stats("watch", "--interval=50ms", "--count=3");
	same([0, 4], [$exit, substr_count($out, "\n")], "watch: a title and three lines");
	[$exit, $out] = $stats("watch", "--interval", "50ms", "--count=2", "--json");
	same([0.0, 0.0], array_map(fn ($line) => json_decode($line, true)["decisions"], explode("\n", trim($out))), "watch --json");
	done();']));
echo $said;
?>
--EXPECT--
done
