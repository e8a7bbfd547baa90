--TEST--
A process that holds a lock on the file for ever keeps no other process from starting
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$file = temp_folder() . '/segment';
$command = ['timeout', '60', ...php_command(['ratelimit.shm_path' => $file, 'ratelimit.shm_size' => '1M'],
	['-r', 'echo (int) FrequencyLimit::doHandle("a", 1, 3600, 2), FrequencyLimit\Monitor::stats()["segment"];'])];

same([0, '1file'], run_command($command), 'without a lock');
$held = fopen($file, 'r+');
ok(flock($held, LOCK_EX), 'this process holds the file');
same([0, '1file'], run_command($command), 'with a lock');
same([0, '0file'], run_command($command), 'and again');
done();
?>
--EXPECT--
done
