--TEST--
Workers that are killed during a decision hold nothing: the others are admitted up to the limit without a wait
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
test_store('real');

const ROUNDS = 60;
const LIMIT = 5000;
$slowest = $interrupted = 0;
$folder = temp_folder();
for ($round = 0; $round < ROUNDS; $round++) {
	/* Three victims hammer a key and a log of this round; a byte is written after each admission. */
	$bytes = "$folder/$round";
	touch($bytes);
	$victims = [];
	for ($i = 0; $i < 3; $i++) {
		if (($pid = pcntl_fork()) === 0) {
			pcntl_alarm(60); /* in case the killer has died */
			$to = fopen($bytes, 'a');
			stream_set_write_buffer($to, 0);
			while (true) {
				if (FrequencyLimit::doHandle("kill$round", 1, 3600, LIMIT)) {
					fwrite($to, 'd');
				}
				if (FrequencyLimit::isActionAllowed(1, "kill$round", 3600, LIMIT)) {
					fwrite($to, 'a');
				}
			}
		}
		$victims[] = $pid;
	}
	while (filesize($bytes) === 0) {
		clearstatcache();
	}
	pause($round * 30e-6);
	foreach ($victims as $pid) {
		send_signal($pid, 9);
	}
	foreach ($victims as $pid) {
		pcntl_waitpid($pid, $status);
	}
	$seen = file_get_contents($bytes);
	$interrupted += (int) (strlen($seen) < 2 * LIMIT - 6);

	[$do, $allowed] = [0, 0];
	for ($call = 0; $call < LIMIT + 10; $call++) {
		$start = stopwatch();
		$do += (int) FrequencyLimit::doHandle("kill$round", 1, 3600, LIMIT);
		$allowed += (int) FrequencyLimit::isActionAllowed(1, "kill$round", 3600, LIMIT);
		$slowest = max($slowest, stopwatch() - $start);
	}
	/* A victim may have been killed between its admission and its byte: one a victim at most. */
	between(LIMIT - 3, $do + substr_count($seen, 'd'), LIMIT, "round $round: doHandle, of which one may have been in doubt for each victim");
	between(LIMIT - 3, $allowed + substr_count($seen, 'a'), LIMIT, "round $round: isActionAllowed");
}
ok($interrupted > 3, "enough were killed in the middle of it: in $interrupted rounds");
ok($slowest < 1.0, "the slowest call after a kill took $slowest s");
done();
?>
--EXPECT--
done
