--TEST--
php-fpm: no program that a request starts inherits the segment
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
$fpm = new Fpm();
$fpm('return FrequencyLimit::doHandle("a", 1, 60, 1);');
for ($round = 0; $round < 2; $round++) {
	foreach (['ls -l /proc/self/fd', 'env'] as $program) {
		foreach (["shell_exec('$program')", "(function () { \$p = proc_open('$program', [1 => ['pipe', 'w']], \$pipes); return stream_get_contents(\$pipes[1]); })()"] as $start) {
			foreach ($fpm->together(8, "hold(10); return $start;") as $output) {
				ok(strlen($output) > 10, 'the program ran');
				same(0, preg_match('/memfd|RATELIMIT_SEGMENT/', $output), "$program shows: $output");
			}
		}
	}
	/* After a reload as well, and in a worker that has not decided anything yet. */
	$fpm->reload();
}
done();
?>
--EXPECT--
done
