--TEST--
php-fpm: ratelimit.shm_path keeps the counts across a restart, and the command line shares them
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
$folder = temp_folder(0755);
if (is_root()) {
	/* The master creates it as root for the workers' user, who owns the folder. */
	/* By number: a PHP with threads does not find the name. */
	preg_match('/^nobody:[^:]*:(\d+)/m', file_get_contents('/etc/passwd'), $nobody);
	chown($folder, (int) $nobody[1]);
}
$ini = ['ratelimit.shm_path' => "$folder/segment", 'ratelimit.shm_size' => '1M'];
$fpm = new Fpm($ini);
$once = fn (int $number) => "return FrequencyLimit::doHandle('file', 1, 3600, $number);";
same([true, false], [$fpm($once(1)), $fpm($once(1))], 'before');
$fpm->restart();
same([false, true, false], [$fpm($once(1)), $fpm($once(2)), $fpm($once(2))], 'after a restart');
$fpm->reload();
same([false, true, false], [$fpm($once(2)), $fpm($once(3)), $fpm($once(3))], 'after a reload');
same([0, '010'], run_php('foreach ([3, 4, 4] as $n) echo (int) FrequencyLimit::doHandle("file", 1, 3600, $n);', $ini), 'the command line');
same([false, true], [$fpm($once(4)), $fpm($once(5))], 'and what it counted');
$second = new Fpm($ini);
same([false, true], [$second($once(5)), $second($once(6))], 'a second master');
same([false], [$fpm($once(6))], 'and what it counted');
same([], $fpm->complaints(), 'the log');
done();
?>
--EXPECT--
done
