--TEST--
bin/ratelimit takes the store from RATELIMIT_STORE, and hides a password of its command line in the list of processes
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/command.inc';

$warning = 'ratelimit: warning: other users can see the password of --store in the list of processes; set RATELIMIT_STORE instead';
$down = 'unix://someone:geheim@' . temp_folder() . '/none.sock';
putenv("RATELIMIT_STORE=$down");
[$exit, $out, $errors] = ratelimit(['peek', 'a', '1', '--limit=1/1s']);
same([3, ''], [$exit, $out], 'of the environment');
ok(str_contains($errors, 'unix://someone:***@') && !str_contains($errors, 'geheim') && !str_contains($errors, 'warning'), $errors);
putenv('RATELIMIT_STORE=redis');
[$exit, , $errors] = ratelimit(['stats', '--here']);
ok($exit === 2 && str_contains($errors, 'RATELIMIT_STORE is not a store: '), $errors);
same(0, ratelimit(['stats', '--here', '--store=shm:'])[0], '--store comes first');
putenv('RATELIMIT_STORE');

foreach ([$down => true, 'redis://:geheim@localhost:1' => true, 'redis+sentinel://localhost:1/main?sentinel_password=geheim' => true, 'redis://localhost:1' => false] as $store => $warns) {
	[, , $errors] = ratelimit(['peek', 'a', '1', '--limit=1/1s', "--store=$store"]);
	same([$warns, false], [str_contains($errors, $warning), str_contains($errors, 'geheim')], "$store: $errors");
}

/* In the list of processes. */
$log = temp_folder() . '/log';
$process = proc_open(php_command(['ratelimit.shm_path' => temp_folder() . '/segment', 'ratelimit.shm_size' => '1M'],
	[__DIR__ . '/../../bin/ratelimit', 'watch', '--interval=50ms', "--store=$down"]), [['file', '/dev/null', 'r'], ['file', $log, 'w'], ['file', '/dev/null', 'w']], $pipes);
ok(eventually(fn () => substr_count((string) file_get_contents($log), "\n") >= 2, 20.0), 'it watches');
$words = strtr(file_get_contents('/proc/' . proc_get_status($process)['pid'] . '/cmdline'), "\0", ' ');
ok(!str_contains($words, 'geheim') && str_contains($words, 'ratelimit watch'), "the process: $words");
proc_terminate($process, 9);
end_of($process);
done();
?>
--EXPECT--
done
