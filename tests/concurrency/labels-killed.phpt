--TEST--
A worker that is killed between a call's states leaves at most its own permit charged, and holds up nobody
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
use FrequencyLimit\{Limit, Limiter};

const MANY = 1_000_000_000;
$limits = new Limiter('killed', ['tenant' => Limit::tokenBucket(1, 3600, 80_000)->by('tenant'),
	'user' => Limit::fixedWindow(MANY, 36_000)->by('user')]);
$folder = temp_folder();
$between = 0;
for ($round = 0; $round < 40; $round++) {
	$victims = [];
	for ($i = 0; $i < 3; $i++) {
		touch("$folder/$round.$i");
		if (($pid = pcntl_fork()) === 0) {
			pcntl_alarm(60);
			$to = fopen("$folder/$round.$i", 'a');
			stream_set_write_buffer($to, 0);
			/* A parent that waits for a processor must not find the bucket empty. */
			for ($n = 0; $n < 25_000; $n++) {
				if ($limits->consume(['tenant' => $round, 'user' => "$round.$i"])->accepted) {
					fwrite($to, 'x');
				}
			}
			pause(60);
		}
		$victims[] = $pid;
	}
	while (filesize("$folder/$round.0") < 5) {
		clearstatcache();
	}
	pause($round * 20e-6);
	foreach ($victims as $pid) {
		send_signal($pid, 9);
	}
	foreach ($victims as $pid) {
		pcntl_waitpid($pid, $status);
	}
	clearstatcache();
	$passed = array_map(fn ($i) => filesize("$folder/$round.$i"), [0, 1, 2]);
	$users = 0;
	foreach ($passed as $i => $n) {
		$charged = MANY - 1 - $limits->peek(['tenant' => 'another', 'user' => "$round.$i"], ['tenant' => 0, 'user' => 1])->remaining;
		ok($charged >= $n && $charged <= $n + 1, "round $round, user $i: $n passed, $charged are charged");
		$users += $charged;
	}
	/* Nothing of the bucket refills within the test but a permit an hour. */
	$charged = 80_000 - 1 - $limits->peek(['tenant' => $round, 'user' => 'another'], ['tenant' => 1, 'user' => 0])->remaining;
	ok($charged >= array_sum($passed) && $charged <= array_sum($passed) + 3, "round $round, tenant: " . array_sum($passed) . " passed, $charged are charged");
	$between += $charged - $users;
	ok($limits->consume(['tenant' => $round, 'user' => "$round.0"])->accepted, "round $round: the others go on");
}
done();
?>
--EXPECT--
done
