--TEST--
Workers that are killed while they take from two limits: never one permit too many, and a death loses at most one
--EXTENSIONS--
ratelimit
pcntl
posix
--FILE--
<?php
/* Workers take from the limits of a tenant and of a user in one decision; a random one is killed and replaced. Each logs what
 * was admitted. A call that died between its admission and its entry in the log is charged and not logged: at most one for each
 * death. STORM_KILLS and STORM_WORKERS make it longer. */
require __DIR__ . '/../include/assert.inc';

use FrequencyLimit\{Limit, Limiter};

const TENANT_LIMIT = 800;
const USER_LIMIT = 90;
const USERS = 12;
const KILLS_A_ROUND = 40;
$kills = (int) (getenv('STORM_KILLS') ?: 200);
$n_workers = (int) (getenv('STORM_WORKERS') ?: 8);
$limiter = new Limiter('storm', ['tenant' => Limit::fixedWindow(TENANT_LIMIT, 36_000)->by('tenant'),
	'user' => Limit::slidingLog(USER_LIMIT, 36_000)->by('user')]);

function work(Limiter $limiter, $log, int $round, int $seed, int $parent): never
{
	mt_srand($seed);
	while (posix_getppid() === $parent) {
		$user = mt_rand(1, USERS);
		if ($limiter->consume(['tenant' => $round, 'user' => "$round.$user"])->accepted) {
			fwrite($log, chr($user));
		}
		usleep(mt_rand(0, 200));
	}
	exit(1);
}

$logs = $workers = [];
$seed = 0;
$start = function (int $round) use (&$workers, &$logs, &$seed, $limiter): void {
	$logs[] = $log = tmpfile();
	stream_set_write_buffer($log, 0);
	$seed++;
	$parent = getmypid();
	$pid = pcntl_fork();
	if ($pid === 0) {
		work($limiter, $log, $round, $seed, $parent);
	}
	$workers[$pid] = true;
};
$reap = function (int $pid) use (&$workers): void {
	posix_kill($pid, SIGKILL);
	pcntl_waitpid($pid, $status);
	unset($workers[$pid]);
};

$deaths = $admitted = $full = 0;
for ($round = 1; $deaths < $kills; $round++) {
	$logs = [];
	for ($i = 0; $i < $n_workers; $i++) {
		$start($round);
	}
	for ($i = 0; $i < KILLS_A_ROUND; $i++) {
		usleep(2000);
		$reap(array_rand($workers));
		$start($round);
	}
	array_map($reap, array_keys($workers));
	$died = KILLS_A_ROUND + $n_workers;
	$deaths += $died;

	$passed = array_fill(1, USERS, 0);
	foreach ($logs as $log) {
		rewind($log);
		foreach (count_chars((string) stream_get_contents($log), 1) as $user => $n) {
			$passed[$user] += $n;
		}
	}
	/* What is left is taken now: a lost permit is one that neither the storm nor this had. */
	foreach (array_keys($passed) as $user) {
		while ($limiter->consume(['tenant' => $round, 'user' => "$round.$user"])->accepted) {
			$passed[$user]++;
		}
	}
	$sum = array_sum($passed);
	ok($sum <= TENANT_LIMIT, "round $round: $sum of the tenant passed");
	ok($sum >= TENANT_LIMIT - $died, "round $round: " . (TENANT_LIMIT - $sum) . " of the tenant are lost, $died died");
	ok(max($passed) <= USER_LIMIT, 'round ' . $round . ': ' . max($passed) . ' of a user passed');
	$admitted += $sum;
	$full += $sum === TENANT_LIMIT ? 1 : 0;
}
ok($admitted > 0, 'calls were admitted');
fwrite(STDERR, getenv('STORM_KILLS') ? sprintf("%d kills, %d admitted, %d of %d tenants lost nothing\n", $deaths, $admitted, $full, $round - 1) : '');
done();
?>
--EXPECT--
done
