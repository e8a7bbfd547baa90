--TEST--
Workers that are killed while they decide take nothing with them: the others are admitted to the limit, and not kept waiting
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
test_store('running');

const ROUNDS = 60;
$slowest = 0;
for ($round = 0; $round < ROUNDS; $round++) {
	/* Three victims hammer a key and a log of this round; a byte is written after each admission. */
	$pipe = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
	$victims = [];
	for ($i = 0; $i < 3; $i++) {
		if (($pid = pcntl_fork()) === 0) {
			while (true) {
				if (FrequencyLimit::doHandle("kill$round", 1, 3600, 500)) {
					fwrite($pipe[1], 'd');
				}
				if (FrequencyLimit::isActionAllowed(1, "kill$round", 3600, 500)) {
					fwrite($pipe[1], 'a');
				}
			}
		}
		$victims[] = $pid;
	}
	$first = fread($pipe[0], 1);
	pause($round * 30e-6);
	foreach ($victims as $pid) {
		send_signal($pid, 9);
	}
	foreach ($victims as $pid) {
		pcntl_waitpid($pid, $status);
	}
	fclose($pipe[1]);
	$seen = $first . stream_get_contents($pipe[0]);

	[$do, $allowed] = [0, 0];
	for ($call = 0; $call < 510; $call++) {
		$start = stopwatch();
		$do += (int) FrequencyLimit::doHandle("kill$round", 1, 3600, 500);
		$allowed += (int) FrequencyLimit::isActionAllowed(1, "kill$round", 3600, 500);
		$slowest = max($slowest, stopwatch() - $start);
	}
	/* A victim may have been killed between its admission and its byte: one a victim at most. */
	between(500 - 3, $do + substr_count($seen, 'd'), 500, "round $round: doHandle, of which one may have been in doubt for each victim");
	between(500 - 3, $allowed + substr_count($seen, 'a'), 500, "round $round: isActionAllowed");
}
ok($slowest < 1.0, "the slowest call after a kill took $slowest s");
done();
?>
--EXPECT--
done
