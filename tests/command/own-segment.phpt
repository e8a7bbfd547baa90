--TEST--
bin/ratelimit rejects a private segment without --here: exit status 3 and the way to share one
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/command.inc';

$commands = ['top' => 0, 'bans' => 1, 'metrics' => 0, 'stats' => 0, 'watch --count=1 --interval=50ms' => 0, 'peek comment 7 --limit=3/600s' => 0, 'reset comment 7 --limit=3/600s' => 1, 'unban login 7 --limit=log:5/60s' => 1, 'ban login 7 --limit=log:5/60s --for=1d' => 0, 'ban like 7 --for=1d --limit=10/30s' => 0, 'ban login 10.0.0.0/8 --limit=log:5/60s --for=1d' => 0];
$path = temp_folder() . '/nowhere/segment';
foreach ($commands as $words => $status) {
	[$exit, $out, $errors] = ratelimit(explode(' ', $words));
	same([3, ''], [$exit, $out], $words);
	ok(preg_match('/^ratelimit: this command has shared memory of its own, which no server uses\. Set ratelimit\.shm_path to one file.*--here.*\n$/', $errors) === 1, "$words: $errors");
	[$exit, $out, $errors] = ratelimit([...explode(' ', $words), '--here']);
	same([$status, ''], [$exit, $errors], "$words --here");
	ok($out !== '', "$words --here: $out");
	/* A file that cannot be used is no shared one. */
	[$exit, $out, $errors] = ratelimit(explode(' ', $words), ['ratelimit.shm_path' => $path, 'display_startup_errors' => '0', 'log_errors' => '0']);
	same([3, ''], [$exit, $out], "$words: a wrong shm_path");
	ok(str_contains($errors, "\nratelimit: warning: cannot use the file of the shared memory: ") && str_contains($errors, 'sudo -u www-data'), "$words: $errors");
}

/* check is about the settings: 1 when one of them is wrong. */
same([0, "ok: store shm:, segment memory\n", ''], ratelimit(['check']), 'check');
[$exit, $out, $errors] = ratelimit(['check'], ['ratelimit.shm_path' => $path, 'ratelimit.store' => 'redi://x', 'display_startup_errors' => '0', 'log_errors' => '0']);
same([1, "wrong: store shm:, segment memory\n", 2], [$exit, $out, preg_match_all('/^ratelimit: warning: /m', $errors)], 'wrong settings');
ok(str_contains($errors, '"shm:" is used instead, so limits hold on this machine only'), $errors);
[$exit, $out] = ratelimit(['check', '--json'], ['ratelimit.ipv6_prefix' => 'all', 'display_startup_errors' => '0', 'log_errors' => '0']);
same([1, false, 1], [$exit, json_decode($out, true)['ok'], count(json_decode($out, true)['warnings'])], 'check --json');
done();
?>
--EXPECT--
done
