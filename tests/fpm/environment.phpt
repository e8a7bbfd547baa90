--TEST--
php-fpm: a worker rejects an environment variable or a descriptor that names a wrong segment
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
/* The test reads the name from a running master's environment after a reload: it is private to the extension. */
$fpm = new Fpm();
$fpm->reload();
preg_match_all('/(?:^|\0)([A-Z_]*RATELIMIT[A-Z_]*)=([^\0]*)/i', file_get_contents("/proc/{$fpm->master()}/environ"), $found, PREG_SET_ORDER);
ok(count($found) > 0, 'it hands the segment on');
$fpm->stop();
$lies = ['', '0', '1', '2', '3', '-1', '99', '999999999999', '3:4:5', 'x', "/etc/passwd"];
foreach ($found as [, $name, $truth]) {
	foreach ([...$lies, $truth, preg_replace('/\d+/', '2', $truth)] as $lie) {
		$fpm = new Fpm([], ['www' => ['pm.max_children' => '1']], [], [$name => $lie]);
		same([true, false], [$fpm($once = 'return FrequencyLimit::doHandle("lie", 1, 3600, 1);'), $fpm($once)], "$name=$lie");
		$fpm->reload();
		same(false, $fpm($once), "$name=$lie: and a reload keeps what it counted");
		$fpm->stop();
	}
}
done();
?>
--EXPECT--
done
