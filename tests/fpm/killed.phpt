--TEST--
php-fpm: a worker that is killed, stopped or timed out during a decision leaves all counts correct
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
$fpm = new Fpm(['max_execution_time' => '1', 'hard_timeout' => '1'], [
	'www' => ['request_terminate_timeout' => '4s', 'pm.max_children' => '3'],
	'hard' => ['request_terminate_timeout' => '300s', 'pm.max_children' => '1'], // PHP, whose limit counts the processor's time, is faster
]);
/* A byte in a file for each admission; then a log, too, when there are no more. */
const LIMIT = 100_000;
$spin = fn (string $action) => "set_time_limit(0); \$to = fopen('$fpm->folder/$action', 'a'); stream_set_write_buffer(\$to, 0); while (true) {"
	. " if (FrequencyLimit::doHandle('$action', 1, 86400, " . LIMIT . ")) { fwrite(\$to, 'x'); } else { FrequencyLimit::isActionAllowed(1, '$action', 86400, 1000); } }";
$count = fn (string $action) => $fpm("for (\$n = 0; FrequencyLimit::doHandle('$action', 1, 86400, " . LIMIT . "); \$n++); return \$n;");
$admitted = function (string $action) use ($fpm): int {
	clearstatcache();
	return (int) @filesize("$fpm->folder/$action");
};

chmod($fpm->folder, 0777);

/* SIGKILL during a decision, five times; and SIGSTOP, until the others have exhausted the limit. */
foreach ([9, 9, 9, 9, 9, 19] as $round => $signal) {
	$action = "signal$round";
	$connection = $fpm->send("file_put_contents(\"$fpm->folder/pid\", getmypid()); " . $spin($action));
	ok(eventually(fn () => $admitted($action) > 0), "round $round: it has begun");
	$pid = (int) file_get_contents("$fpm->folder/pid");
	send_signal($pid, $signal);
	if ($signal === 9) {
		ok(eventually(fn () => !in_array($pid, $fpm->workers(), true)), "round $round: it is dead");
	} else {
		ok(eventually(fn () => preg_match('/\) T /', (string) @file_get_contents("/proc/$pid/stat")) === 1), "round $round: it stands still");
	}
	between(LIMIT - 1, $admitted($action) + $count($action), LIMIT, "round $round: all that was admitted, but for one that may have been in doubt");
	same(0, $count($action), "round $round: and then it is exhausted");
	if ($signal !== 9) {
		send_signal($pid, 9);
	}
	fclose($connection);
}

/* FPM ends the request after four seconds; PHP ends it by _exit() out of a signal handler after one and one more, but not
 * where there are threads. */
$slow = $fpm->send($spin('terminated'));
$native = $fpm->send("FrequencyLimit::doHandle('hard', 1, 86400, " . LIMIT . "); return strlen(hash_pbkdf2('sha256', 'a', 'b', 2000000000));", 'hard');
foreach ([$slow, $native] as $connection) {
	stream_set_timeout($connection, 300);
	try {
		$fpm->answer($connection);
		failed('a request that should have been ended gave an answer');
	} catch (Exception) {
	}
}
ok(str_contains($fpm->log(), 'execution timed out'), 'FPM ended one');
ok(PHP_ZTS || eventually(fn () => str_contains($fpm->log(), 'exited with code 124')), 'PHP ended one');
between(LIMIT - 1, $admitted('terminated') + $count('terminated'), LIMIT, 'the one that FPM ended');
same(LIMIT - 1, $count('hard'), 'the other had counted one');
same(0, $count('hard'), 'and now it is exhausted');
done();
?>
--EXPECT--
done
