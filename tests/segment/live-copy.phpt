--TEST--
A copy of the file made while every worker slot is in use (backup, snapshot, power cut) has all slots free
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$folder = temp_folder();
$ini = fn (string $file) => ['ratelimit.shm_path' => "$folder/$file", 'ratelimit.shm_size' => '1M', 'ratelimit.on_failure' => 'throw'];

/* 128 workers that live until the copy is made. */
[$exit, $output] = run_php(<<<'PHP'
	[$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
	for ($i = 0; $i < 128; $i++) {
		if (pcntl_fork() === 0) {
			fclose($ours);
			FrequencyLimit::doHandle('a', 1, 3600, 200);
			FrequencyLimit::isActionAllowed("a$i", 'log', 3600, 5);
			fwrite($theirs, '+');
			fread($theirs, 1);
			exit;
		}
		fread($ours, 1);
	}
	copy($argv[1], $argv[2]);
	fclose($theirs);
	fclose($ours);
	while (pcntl_wait($status) > 0);
	echo 'copied';
	PHP, $ini('original'), [], ["$folder/original", "$folder/copy"]);
same([0, 'copied'], [$exit, $output], 'the original');
chmod("$folder/copy", 0600);

same([0, '71'], run_php('for ($n = 0; FrequencyLimit::doHandle("a", 1, 3600, 200) && $n < 500; $n++); echo $n - 1;', $ini('copy')),
	'the copy goes on from the counts');
same([0, '1'], run_php('FrequencyLimit::doHandle("a", 1, 3600, 200); echo FrequencyLimit\Monitor::stats()["workers"];', $ini('copy')),
	'and has one worker');
done();
?>
--EXPECT--
done
