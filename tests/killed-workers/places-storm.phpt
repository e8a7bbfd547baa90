--TEST--
Workers that are killed while they hold places: never one place too many, and each place comes free
--EXTENSIONS--
ratelimit
pcntl
posix
--INI--
ratelimit.shm_size=16M
memory_limit=512M
--FILE--
<?php
/* Workers take and release places without a pause; a random one is killed and replaced. Each logs when it holds a place: from
 * the answer of acquire() to the call of release(), or to its death. These times lie within the true ones, so that more of
 * them at once than places is one too many. STORM_KILLS and STORM_WORKERS make it longer. */
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/tools.inc';

use FrequencyLimit\{Limit, Limiter};

const PLACES = 3;
const IDENTITIES = 4;
const KILLS_A_ROUND = 50;
$kills = (int) (getenv('STORM_KILLS') ?: amount(300, 100));
$n_workers = (int) (getenv('STORM_WORKERS') ?: 8);
$limiter = new Limiter('storm', ['places' => Limit::concurrent(PLACES, 3600)]);

function work(Limiter $limiter, $log, int $seed, int $parent, int $pause): never
{
	mt_srand($seed);
	while (posix_getppid() === $parent) {
		$id = mt_rand(1, IDENTITIES);
		$permit = $limiter->acquire($id);
		if ($permit->result->accepted) {
			fwrite($log, pack('CCq', 1, $id, hrtime(true)));
			usleep(mt_rand(0, 3 * $pause));
			fwrite($log, pack('CCq', 0, $id, hrtime(true)));
			ok($permit->release(), 'a held place is there');
		} else {
			usleep(mt_rand(0, $pause));
		}
	}
	exit(1);
}

/** @return list<array{int, int, int}> identity, begin and end of each place */
function places_of($log, int $died): array
{
	rewind($log);
	$places = [];
	$open = null;
	foreach (str_split((string) stream_get_contents($log), 10) as $entry) {
		if (strlen($entry) < 10) {
			continue; /* killed within the write */
		}
		['begin' => $begin, 'id' => $id, 'at' => $at] = unpack('Cbegin/Cid/qat', $entry);
		if ($begin) {
			$open = [$id, $at];
		} else {
			$places[] = [$id, $open[1], $at];
			$open = null;
		}
	}
	return $open ? [...$places, [...$open, $died]] : $places;
}

$workers = $events = [];
/* Many workers try less often: on a saturated machine, a killed worker is reaped only after all others had their turn. */
$pause = 100 + 50 * max(0, $n_workers - 8);
$start = function () use (&$workers, $limiter, $pause): void {
	static $seed = 0;
	$log = tmpfile();
	stream_set_write_buffer($log, 0);
	$seed++;
	$parent = getmypid();
	$pid = pcntl_fork();
	if ($pid === 0) {
		work($limiter, $log, $seed, $parent, $pause);
	}
	$workers[$pid] = $log;
};
$reap = function (int $pid) use (&$workers, &$events): void {
	$died = hrtime(true);
	posix_kill($pid, SIGKILL);
	pcntl_waitpid($pid, $status);
	foreach (places_of($workers[$pid], $died) as [$id, $from, $to]) {
		if ($to > $from) {
			$events[] = [$from, 1, $id];
			$events[] = [$to, -1, $id];
		}
	}
	fclose($workers[$pid]);
	unset($workers[$pid]);
};

/* At the end of a round all workers are dead, so that the events of each round are judged by themselves. */
$deaths = $n_places = 0;
while ($deaths < $kills) {
	$events = [];
	for ($i = 0; $i < $n_workers; $i++) {
		$start();
	}
	for ($i = 0; $i < KILLS_A_ROUND; $i++) {
		usleep(2000);
		$reap(array_rand($workers));
		$start();
	}
	foreach (array_keys($workers) as $pid) {
		$reap($pid);
	}
	$deaths += KILLS_A_ROUND + $n_workers;

	sort($events); /* an end before a begin of the same moment */
	$held = array_fill(1, IDENTITIES, 0);
	foreach ($events as [, $change, $id]) {
		$held[$id] += $change;
		$held[$id] <= PLACES || ok(false, "$held[$id] places at once");
	}
	$n_places += count($events) / 2;
	for ($id = 1; $id <= IDENTITIES; $id++) {
		$permits = array_map(fn () => $limiter->acquire($id), range(1, PLACES));
		ok(!in_array(false, array_map(fn ($permit) => $permit->result->accepted, $permits), true),
			"all places of identity $id are free in the end");
		unset($permits);
	}
}
ok($n_places > $kills, "places were held: $n_places");
fwrite(STDERR, getenv('STORM_KILLS') ? sprintf("%d kills, %d places held\n", $deaths, $n_places) : '');
done();
?>
--EXPECT--
done
