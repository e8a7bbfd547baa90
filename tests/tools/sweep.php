<?php
/* One part of a sweep, run by the stepper (tests/include/stepper.inc starts both):
 *
 *     stepper MODULE php ... sweep.php SCENARIO kill|hold|twice FROM STRIDE
 *
 * For each k = FROM, FROM + STRIDE ...: a fresh worker, forked from this process, is killed (or held still) after the
 * k-th instruction of its call; another one, which was there before, must answer at once and exactly. "twice": a second
 * worker is killed on its way through what the first one left. Prints what it saw, a JSON object a line, until the call
 * has no k-th instruction. A survivor that does not answer ends the process: what it waits for would never come. */

require __DIR__ . '/../include/php.inc';
require __DIR__ . '/../include/waiting.inc';
require __DIR__ . '/scenarios.inc';

/** The worker that was there before, and its part of the scenario. */
final class Survivor
{
	/** Longer than any answer takes, however busy the machine is. */
	private const PATIENCE_S = 3;
	private $stream;
	public readonly int $pid;

	public function __construct(Scenario $scenario)
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
		stream_set_timeout($this->stream, self::PATIENCE_S);
	}

	public function __call(string $method, array $arguments): mixed
	{
		if ($method === 'furnish') {
			stream_set_timeout($this->stream, 60);
		}
		fwrite($this->stream, json_encode([$method, $arguments]) . "\n");
		$line = fgets($this->stream);
		stream_set_timeout($this->stream, self::PATIENCE_S);
		if ($line === false) {
			throw new Blocked("the survivor does not answer: $method");
		}
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

/** A worker that is taken through one call. */
final class Victim
{
	private $stream;
	private int $pid;

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

	/** Where it stopped; or how many instructions the call has (an int), when it has no k-th. */
	public function take(string $how, int $k): string|int
	{
		if (Stepper::ask("$how $this->pid $k") !== "seized $this->pid") {
			throw new \Exception('not seized');
		}
		fwrite($this->stream, "\n");
		[$what, $rest] = explode(' ', Stepper::answer(), 2);
		return match ($what) {
			'at' => $rest,
			'returned' => (int) $rest,
			/* It neither got on nor came back: it waits for what a dead worker holds. */
			default => throw new Blocked($rest),
		};
	}

	/** Lets it go on, where it was held: did its call pass? */
	public function finish(bool $held): bool
	{
		if ($held) {
			Stepper::ask("resume $this->pid");
		}
		stream_set_timeout($this->stream, 3);
		$answer = fgets($this->stream);
		if ($answer === false) {
			throw new Blocked('the victim does not get on');
		}
		return $answer === "1\n";
	}

	public function bury(): void
	{
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

/** One round; what is to be told of it. "over": the call has no k-th instruction. */
function round_of(Scenario $scenario, Survivor $survivor, string $how, int $id, int $k): array
{
	$total = $survivor->begin($id);
	$victim = new Victim($scenario, $id);
	$killed = 0;
	$line = ['k' => $k];
	try {
		$place = $victim->take($how === 'hold' ? 'hold' : 'kill', $k);
		$line += is_int($place) ? ['over' => $place] : ['at' => $place];
		if ($how === 'hold' && is_string($place)) {
			$survivor->dawdle();
			$total += $survivor->drain($id);
			$total += (int) $victim->finish(true);
		} elseif (is_int($place)) {
			$total += (int) $victim->finish(false);
		} else {
			$killed = 1;
		}
	} finally {
		$victim->bury();
	}

	if ($how === 'twice' && $killed) {
		/* Anywhere from its first instruction to some way beyond where the first one died: 7919 is a prime. */
		$second = new Victim($scenario, $id);
		try {
			$place = $second->take('kill', $k * 7919 % max(2 * $k, 400));
			$line['then'] = $place;
			if (is_int($place)) {
				$total += (int) $second->finish(false);
			} else {
				$killed = 2;
			}
		} finally {
			$second->bury();
		}
	}

	$total += $survivor->drain($id);
	if ($killed ? !$scenario->right_after_death($total, $killed) : $total !== $scenario->capacity) {
		$line['broken'] = "$total of $scenario->capacity calls passed";
	}
	$survivor->conclude($id);
	return $line + ['lost' => $scenario->capacity - $total];
}

[, $name, $how, $from, $stride] = $argv;
if ((new \ReflectionClass(str_replace('-', '', ucwords($name, '-'))))->getDefaultProperties()['frozen']) {
	FrequencyLimit\Clock::freeze(1_900_000_000);
}
$scenario = scenario($name);
$survivor = new Survivor($scenario);
try {
	$survivor->furnish();
	for ($k = (int) $from; ; $k += (int) $stride) {
		try {
			$line = round_of($scenario, $survivor, $how, $k + 1, $k);
		} catch (Blocked $e) {
			echo json_encode(['k' => $k, 'blocked' => $e->getMessage()]), "\n";
			break;
		} catch (\Exception $e) {
			$line = ['k' => $k, 'broken' => $e->getMessage()];
		}
		echo json_encode($line), "\n";
		if ($scenario->frozen) {
			FrequencyLimit\Clock::advance($scenario->span);
		}
		if (isset($line['over'])) {
			echo json_encode(['waited' => $survivor->waited()]), "\n";
			break;
		}
	}
} finally {
	$survivor->end();
}
