<?php
/* One part of a sweep, run by the stepper (tests/include/stepper.inc starts both):
 *
 *     stepper MODULE php ... sweep.php SCENARIO kill|hold|twice FROM [SECONDS]
 *
 * For each k = FROM, FROM + 1 ... (or, with SECONDS, for k in a random order): a new worker, a fork of this process, is
 * killed (or held) after the k-th instruction of its call. Another worker, which existed before, must answer at once and
 * exactly. "twice": a second worker is killed while it handles the remains of the first. It prints its results, a JSON
 * object per line, until the call has no k-th instruction. A survivor that does not answer ends the process. */

require __DIR__ . '/../include/php.inc';
require __DIR__ . '/../include/waiting.inc';
require __DIR__ . '/scenarios.inc';

/* A process that waits for its next order must not take a minute's silence for the end. */
ini_set('default_socket_timeout', '86400');

/** Also on a busy machine. */
const LEAST_POINTS = 12;
/** Repetitions at a point with a wait: a pause of the machine does not repeat there. */
const TRIES = 3;

/** The survivor, and its part of the scenario. */
final class Survivor
{
	private $stream;
	public readonly int $pid;

	public function __construct(private readonly Scenario $scenario)
	{
		[$this->stream, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
		$this->pid = pcntl_fork();
		if ($this->pid === 0) {
			fclose($this->stream);
			while ($line = fgets($theirs)) {
				[$method, $arguments] = json_decode($line);
				try {
					$answer = ['result' => $scenario->$method(...$arguments)];
				} catch (\Throwable $e) {
					$answer = ['broken' => $e->getMessage()];
				}
				fwrite($theirs, json_encode($answer) . "\n");
			}
			posix_kill(getmypid(), SIGKILL);
		}
		fclose($theirs);
	}

	public function __call(string $method, array $arguments): mixed
	{
		fwrite($this->stream, json_encode([$method, $arguments]) . "\n");
		$line = line_from($this->stream, $this->pid, $method === 'set_up' ? 60 : $this->scenario->patience)
			?? throw new Blocked("the survivor does not answer: $method");
		$answer = json_decode($line, true);
		if (isset($answer['broken'])) {
			throw new \Exception($answer['broken']);
		}
		return $answer['result'];
	}

	public function end(): void
	{
		posix_kill($this->pid, SIGKILL);
		pcntl_waitpid($this->pid, $status);
	}
}

final class Blocked extends \Exception {}

/**
 * Returns a line from a process; null when it has slept, or run, for $seconds without a line. Time in which the machine
 * ran other processes does not count.
 */
function line_from($stream, int $pid, float $seconds): ?string
{
	$asleep = $burnt = 0.0;
	$before = null;
	for (;;) {
		$ready = [$stream];
		$none = null;
		if (stream_select($ready, $none, $none, 0, 100_000) > 0) {
			$line = fgets($stream);
			return $line === false ? null : $line;
		}
		/* "pid (name) state ...": the 14th and 15th field are its ticks, 100 per second. */
		$stat = (string) @file_get_contents("/proc/$pid/stat");
		$fields = explode(' ', substr($stat, (int) strrpos($stat, ')') + 2));
		$ticks = (int) ($fields[11] ?? 0) + (int) ($fields[12] ?? 0);
		$before ??= $ticks;
		$burnt = ($ticks - $before) / 100;
		$asleep = $fields[0] === 'R' ? 0.0 : $asleep + 0.1;
		if ($asleep >= $seconds || $burnt >= $seconds) {
			return null;
		}
	}
}

/** A worker that is stepped through one call. */
final class Victim
{
	private $stream;
	private int $pid;
	private bool $held = false;

	public function __construct(Scenario $scenario, int $id)
	{
		[$this->stream, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
		$this->pid = pcntl_fork();
		if ($this->pid === 0) {
			fclose($this->stream);
			$self = getmypid();
			$scenario->warm($id);
			fread($theirs, 1);
			posix_kill($self, SIGUSR1);
			$passed = $scenario->act($id);
			fwrite($theirs, $passed ? "1\n" : "0\n");
			posix_kill($self, SIGKILL);
		}
		fclose($theirs);
	}

	/** Returns its address; or the number of instructions when the call has no k-th, or 0 when it took another path. */
	public function take(string $how, int $k, string $manner): string|int
	{
		if (Stepper::ask("$how $this->pid $k $manner") !== "seized $this->pid") {
			throw new \Exception('not seized');
		}
		fwrite($this->stream, "\n");
		[$what, $rest] = explode(' ', Stepper::answer(), 2) + [1 => ''];
		$this->held = $what === 'at' && $how === 'hold';
		return match ($what) {
			'at' => $rest,
			'returned' => (int) $rest,
			'missed' => 0,
			/* It neither continued nor returned: it waits for a resource of a dead worker. */
			default => throw new Blocked($rest),
		};
	}

	private function release(): void
	{
		if ($this->held) {
			$this->held = false;
			Stepper::ask("resume $this->pid");
		}
	}

	/** Resumes a held worker; returns true when its call passed. */
	public function finish(): bool
	{
		$this->release();
		return (line_from($this->stream, $this->pid, 1.5) ?? throw new Blocked('the victim does not get on')) === "1\n";
	}

	public function reap(): void
	{
		$this->release();
		posix_kill($this->pid, SIGKILL);
		pcntl_waitpid($this->pid, $status);
	}
}

final class Stepper
{
	private static $commands;
	private static $answers;

	public static function ask(string $command): string
	{
		self::$commands ??= fopen('php://fd/3', 'w');
		self::$answers ??= fopen('php://fd/4', 'r');
		fwrite(self::$commands, "$command\n");
		return self::answer();
	}

	public static function answer(): string
	{
		return rtrim((string) fgets(self::$answers));
	}
}

/**
 * Plays one round, and returns its results. "over": the call has only this many instructions; 0: the victim took another
 * path than the trace, and another victim must be stepped more slowly (stepper.c).
 *
 * @param string $how "trace" kills no worker
 */
function round_of(Scenario $scenario, Survivor $survivor, string $how, int $id, int $k, string $manner): array
{
	$began = stopwatch();
	$total = $survivor->begin($id);
	$victim = new Victim($scenario, $id);
	$killed = 0;
	$line = ['k' => $k];
	try {
		$place = $victim->take($how === 'twice' ? 'kill' : $how, $k, $manner);
		$line += is_int($place) ? ['over' => $place] : ['at' => $place];
		if (is_int($place)) {
			$total += (int) $victim->finish();
		} elseif ($how === 'hold') {
			$survivor->advance_clock();
			$total += $survivor->call_until_refused($id);
			$total += (int) $victim->finish();
		} else {
			$killed = 1;
		}
	} finally {
		$victim->reap();
	}

	if ($how === 'twice' && $killed) {
		$second = new Victim($scenario, $id);
		try {
			/* Anywhere from its first instruction to somewhat beyond the first death: 7919 is a prime. */
			$place = $second->take('kill', $k * 7919 % max(2 * $k, 400), '');
			$line['then'] = $place;
			if (is_int($place)) {
				$total += (int) $second->finish();
			} else {
				$killed = 2;
			}
		} finally {
			$second->reap();
		}
	}

	$total += $survivor->call_until_refused($id);
	$may_strand = $total < $scenario->capacity && stopwatch() - $began > $scenario->keeps;
	if (!$may_strand && ($killed ? !$scenario->right_after_death($total, $killed) : $total !== $scenario->capacity)) {
		$line['broken'] = "$total of $scenario->capacity calls passed";
	}
	$survivor->conclude($id);
	return $line + ['lost' => $scenario->lost($total), 'waited' => $survivor->waited()];
}

[, $name, $how, $from, $seconds] = $argv + [4 => 0];
if ((new \ReflectionClass(str_replace('-', '', ucwords($name, '-'))))->getDefaultProperties()['frozen']) {
	FrequencyLimit\Clock::freeze(1_900_000_000);
}
$scenario = scenario($name);
$survivor = new Survivor($scenario);
$id = 0;
$next = function (string $how, int $k, string $manner = '') use ($scenario, $survivor, &$id): array {
	try {
		$line = round_of($scenario, $survivor, $how, ++$id, $k, $manner);
	} catch (Blocked $e) {
		$line = ['k' => $k, 'blocked' => $e->getMessage()];
	} catch (\Exception $e) {
		$line = ['k' => $k, 'broken' => $e->getMessage()];
	}
	if ($scenario->frozen) {
		FrequencyLimit\Clock::advance($scenario->span);
	}
	return $line;
};
/* In order, while the call has a k-th instruction; or in random order. */
$points = function (int $n, int $from, bool $all): iterable {
	for ($k = $from; $all; $k++) {
		yield $k;
	}
	$order = range(0, $n - 1);
	shuffle($order);
	yield from $order;
};
try {
	$survivor->set_up();
	/* The first call in a full segment, or without Redis, takes more instructions than those that follow, and may be too long to step. */
	$first = $next('trace', 0);
	$line = $next('trace', 0);
	if (!isset($line['over'])) {
		echo json_encode($line + ['first' => $first]), "\n";
		exit(1);
	}
	$all = (float) $seconds <= 0;
	$done = 0;
	$deadline = stopwatch() + (float) $seconds;
	foreach ($points($line['over'], (int) $from, $all) as $k) {
		for ($tries = 1; ; $tries++) {
			foreach (['', 'carefully', 'slowly'] as $manner) {
				$line = $next($how, $k, $manner);
				if (($line['over'] ?? 1) !== 0) {
					break;
				}
			}
			if (($line['waited'] ?? 0) < Waiting::LATE_US || $tries === TRIES) {
				break;
			}
		}
		echo json_encode($line), "\n";
		$done += (int) isset($line['at']);
		if (isset($line['blocked']) || ($all ? isset($line['over']) : $done >= LEAST_POINTS && stopwatch() > $deadline)) {
			break;
		}
	}
} finally {
	$survivor->end();
}
