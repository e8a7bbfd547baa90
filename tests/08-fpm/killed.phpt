--TEST--
php-fpm: a worker that is killed, stopped or ended by a time limit leaves all counts right
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
$fpm = new Fpm(['max_execution_time' => '1', 'hard_timeout' => '1'], ['www' => ['request_terminate_timeout' => '4s', 'pm.max_children' => '3']]);
$spin = fn (string $action) => "set_time_limit(0); \$passed = 0; while (true) { \$passed += (int) FrequencyLimit::doHandle('$action', 1, 86400, 1000); FrequencyLimit::isActionAllowed(1, '$action', 86400, 1000); }";
$count = fn (string $action) => $fpm("\$n = 0; for (\$i = 0; \$i < 1100; \$i++) { \$n += (int) FrequencyLimit::doHandle('$action', 1, 86400, 1000); } return \$n;");

chmod($fpm->folder, 0777);

/* SIGKILL in the middle of deciding, five times. */
for ($round = 0; $round < 5; $round++) {
	$connection = $fpm->send("file_put_contents(\"$fpm->folder/pid\", getmypid()); " . $spin("sigkill$round"));
	ok(eventually(fn () => @file_get_contents("$fpm->folder/pid") > 0), 'it has begun');
	pause(0.003 * $round);
	send_signal((int) file_get_contents("$fpm->folder/pid"), 9);
	unlink("$fpm->folder/pid");
	fclose($connection);
	between(0, $count("sigkill$round"), 1000, "round $round: never more than the limit");
	same(0, $count("sigkill$round"), "round $round: and then it is exhausted");
}

/* FPM ends the request after four seconds; PHP ends it by _exit() out of a signal handler after one and one more. */
$slow = $fpm->send($spin('terminated'));
$native = $fpm->send("FrequencyLimit::doHandle('hard', 1, 86400, 1000); return strlen(hash_pbkdf2('sha256', 'a', 'b', 2000000000));");
foreach ([$slow, $native] as $connection) {
	try {
		$fpm->answer($connection);
		failed('a request that should have been ended gave an answer');
	} catch (Exception) {
	}
}
ok(str_contains($fpm->log(), 'execution timed out'), 'FPM ended one');
ok((bool) preg_match('/exited with code 124|exited on signal/', $fpm->log()), 'PHP ended one');
same(0, $count('terminated'), 'a spinning worker had used up its limit');
same(999, $count('hard'), 'the other had counted one');
same(0, $count('hard'), 'and now it is exhausted');
done();
?>
--EXPECT--
done
