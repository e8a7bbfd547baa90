<?php
/* A storm: workers decide without a pause while others among them die or stop.
 *
 *     storm.php kill|stop SECONDS [WORKERS] [ours|apcu]
 *
 * Every 2 ms one worker is killed and replaced (or is stopped, and continues 2 ms later). Each worker logs the identity
 * before a call and the result after it, so that an interrupted call is known. An identity with a refusal must have
 * admitted exactly its limit, less at most the interrupted calls on it.
 *
 * A pause of the machine delays calls, too. It more often delays the time between two calls, which is most of a worker's
 * time. Both are counted, so that a pause can be recognized.
 *
 * It prints its figures as a JSON object. "apcu" plays a limiter with APCu: proof that a storm can fail. */

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;

require __DIR__ . '/../include/php.inc';
require __DIR__ . '/../include/waiting.inc';

/* A worker's log of a minute is read at once. */
ini_set('memory_limit', -1);

const TICK_US = 2000;
/** The results in the log. */
const SLOW_NS = 2_000_000;
const LIMIT = 300;
/** Identities whose window ends every second: called between the others. */
const SHORT = 0x40000000;
const SHORT_IDENTITIES = 4;

/** The calls by identity: counters, and limiters of several limits, in turn. */
function asker(string $whom): Closure
{
	if ($whom === 'apcu') {
		return function (int $id): bool {
			apcu_add("storm:$id", 0, 3600);
			return apcu_inc("storm:$id") <= LIMIT;
		};
	}
	$limiter = new Limiter('storm', [Limit::fixedWindow(LIMIT, 3600), Limit::slidingLog(LIMIT, 3600), Limit::tokenBucket(LIMIT, 86400 * 365)]);
	return fn (int $id): bool => match (true) {
		$id >= SHORT => FrequencyLimit::doHandle('short', $id, 1, LIMIT),
		$id % 2 === 0 => FrequencyLimit::doHandle('storm', $id, 3600, LIMIT),
		default => $limiter->consume($id)->accepted,
	};
}

/** Runs a worker; does not return. Its log: 4 bytes before a call, 1 after. */
function work(Closure $ask, int $id, bool $short, string $log): never
{
	$calls = fopen($log, 'a');
	$slow = fopen("$log.slow", 'a');
	stream_set_write_buffer($calls, 0);
	stream_set_write_buffer($slow, 0);
	$waiting = new Waiting();
	$note = function (bool $call, int $start, int $end, int $delay) use ($slow): void {
		if ($end - $start > SLOW_NS) {
			fwrite($slow, pack('Cq3', $call, $start, $end, $delay));
		}
	};
	$last = null;
	for ($n = 0; ; $n++) {
		$whom = $short && $n % 8 === 0 ? SHORT + intdiv($n, 8) % SHORT_IDENTITIES : $id + $n % 4;
		fwrite($calls, pack('V', $whom));
		[$before, $start] = [$waiting->run_delay_ns(), hrtime(true)];
		$passed = $ask($whom);
		[$end, $after] = [hrtime(true), $waiting->run_delay_ns()];
		/* The delays are read outside of the timed part: otherwise a lost time slice in between would count as a wait. */
		$note(true, $start, $end, $after - $before);
		if ($last) {
			$note(false, $last[1], $start, $after - $last[0]);
		}
		$last = [$before, $end];
		fwrite($calls, $passed ? '1' : '0');
		if (!$passed && $whom === $id) {
			$id++;
		}
	}
}

final class Storm
{
	/** pid => log */
	private array $workers = [];
	/** identity => the admitted, refused and interrupted calls */
	private array $passed = [], $refused = [], $doubts = [];
	/** pid => [from, to] of each stop */
	private array $stops = [];
	private int $calls = 0, $kills = 0, $serial = 0, $newest = 1;
	private int $late_calls = 0, $standstills = 0;
	private float $waited_us = 0.0, $waited_wall_us = 0.0, $silence_us = 0.0;
	private int $progress;
	private string $folder;
	private Closure $ask;

	public function __construct(private string $whom)
	{
		$this->ask = asker($whom);
		$this->folder = temp_folder();
	}

	private function start_worker(): void
	{
		$log = $this->folder . '/' . ++$this->serial;
		$pid = pcntl_fork();
		if ($pid === 0) {
			/* So that the killer gets its time slice. */
			pcntl_setpriority(10);
			work($this->ask, $this->newest, $this->whom === 'ours', $log);
		}
		$this->workers[$pid] = $log;
	}

	/** Kills a worker and reads its log. */
	private function reap(int $pid): void
	{
		posix_kill($pid, SIGKILL);
		pcntl_waitpid($pid, $status);
		$this->kills++;
		$log = $this->workers[$pid];
		unset($this->workers[$pid]);
		$records = (string) @file_get_contents($log);
		$this->read_slow($pid, (string) @file_get_contents("$log.slow"));
		@unlink($log);
		@unlink("$log.slow");

		if (strlen($records) >= 5) {
			$this->progress();
		}
		foreach ($records === '' ? [] : array_count_values(str_split($records, 5)) as $record => $times) {
			if (strlen((string) $record) < 4) {
				continue; /* killed at a page's end, within the entry before a call */
			}
			$id = unpack('V', (string) $record)[1];
			$this->newest = max($this->newest, $id < SHORT ? $id - 3 : 1);
			match ((string) substr((string) $record, 4)) {
				'1' => $this->passed[$id] = ($this->passed[$id] ?? 0) + $times,
				'0' => $this->refused[$id] = ($this->refused[$id] ?? 0) + $times,
				'' => $this->doubts[$id] = ($this->doubts[$id] ?? 0) + $times,
			};
			$this->calls += $times;
		}
	}

	/** Returns whether an undisturbed worker answers, when no killed worker ever did. */
	private function has_progress(): bool
	{
		$written = fn () => array_sum(array_map(function ($log) {
			clearstatcache(true, $log);
			return (int) @filesize($log);
		}, $this->workers));
		$before = $written();
		return eventually(fn () => $written() > $before + 5 * count($this->workers), 20.0);
	}

	private function progress(): void
	{
		$now = hrtime(true);
		$this->silence_us = max($this->silence_us, ($now - $this->progress) / 1e3);
		$this->progress = $now;
	}

	/** Excludes waits in which the worker itself was stopped, or another process had its core. */
	private function read_slow(int $pid, string $records): void
	{
		foreach ($records === '' ? [] : str_split(substr($records, 0, strlen($records) - strlen($records) % 25), 25) as $record) {
			['call' => $call, 'start' => $start, 'end' => $end, 'delay' => $delay] = unpack('Ccall/qstart/qend/qdelay', $record);
			$own = $end - $start - $delay;
			foreach ($this->stops[$pid] ?? [] as [$from, $to]) {
				$own -= max(0, min($end, $to) - max($start, $from));
			}
			if (!$call) {
				$this->standstills += (int) ($own / 1e3 >= Waiting::LATE_US);
				continue;
			}
			$this->late_calls += (int) ($own / 1e3 >= Waiting::LATE_US);
			$this->waited_us = max($this->waited_us, $own / 1e3);
			$this->waited_wall_us = max($this->waited_wall_us, ($end - $start) / 1e3);
		}
	}

	public function run(string $how, float $seconds, int $workers): array
	{
		$start = hrtime(true);
		$this->progress = $start;
		for ($i = 0; $i < $workers; $i++) {
			$this->start_worker();
		}
		$stops = 0;
		$hung = false;
		while (hrtime(true) - $start < $seconds * 1e9) {
			usleep(TICK_US);
			$pid = array_rand($this->workers);
			if ($how === 'kill') {
				$this->reap($pid);
				$this->start_worker();
				if (hrtime(true) - $this->progress > 2e9 && ($hung = !$this->has_progress())) {
					break;
				}
			} else {
				$from = hrtime(true);
				posix_kill($pid, SIGSTOP);
				usleep(TICK_US);
				posix_kill($pid, SIGCONT);
				$this->stops[$pid][] = [$from, hrtime(true)];
				$stops++;
			}
		}
		/* All at once: while one log is read, the other workers would open more windows. */
		foreach (array_keys($this->workers) as $pid) {
			posix_kill($pid, SIGKILL);
		}
		$elapsed = hrtime(true) - $start;
		foreach (array_keys($this->workers) as $pid) {
			$this->reap($pid);
		}
		$this->progress();
		return $this->judge($how, $elapsed / 1e9) + ['stops' => $stops, 'hung' => $hung];
	}

	private function judge(string $how, float $elapsed): array
	{
		$over = $under = $lost = $whole = 0;
		foreach ($this->refused as $id => $times) {
			if ($id >= SHORT) {
				continue;
			}
			$missing = LIMIT - ($this->passed[$id] ?? 0);
			$over += $missing < 0;
			$under += $missing > ($this->doubts[$id] ?? 0);
			$lost += max(0, $missing);
			$whole++;
		}
		/* Without a known refusal: at most the limit. A window lasts at least a second. */
		foreach ($this->passed as $id => $times) {
			$over += $times > ($id >= SHORT ? LIMIT * (1 + (int) ceil($elapsed)) : LIMIT);
		}
		return ['seconds' => round($elapsed, 1), 'calls' => $this->calls, 'deaths' => $this->kills,
			'died_on_their_way' => array_sum($this->doubts), 'identities' => $whole, 'permits_lost' => $lost,
			'over_limit' => $over, 'lost_without_a_death' => $under,
			'waited' => $this->late_calls > $this->standstills, 'calls_of_10_ms' => $this->late_calls, 'standstills_of_10_ms' => $this->standstills,
			'longest_wait_us' => round($this->waited_us), 'longest_wall_us' => round($this->waited_wall_us),
			/* In a stop storm the logs are read at the end only. */
			'longest_silence_us' => $how === 'kill' ? round($this->silence_us) : 0];
	}
}

$storm = new Storm($argv[4] ?? 'ours');
$figures = $storm->run($argv[1], (float) $argv[2], (int) ($argv[3] ?? 8));
if (($argv[4] ?? 'ours') === 'ours') {
	/* Then a new identity works as before. */
	for ($passed = 0; FrequencyLimit::doHandle('after', 1, 3600, LIMIT); $passed++) {
	}
	$figures['after'] = $passed === LIMIT ? 'exact' : "$passed of " . LIMIT;
}
echo json_encode($figures), "\n";
