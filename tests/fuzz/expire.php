<?php

/**
 * Fuzzes $expire of doHandle() and check(): expire.php [seconds] [seed]
 *
 * For every value the call decides, or throws an InvalidArgument or a TypeError, without any other error or notice. It
 * decides exactly when $expire is empty or well-formed; an invalid $expire counts nothing. The seed repeats a run.
 * scripts/long.sh fuzz runs it on a build with sanitizers.
 */

use FrequencyLimit\Clock;
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Result;

const NOW = 1_900_000_000;
const TEN_YEARS = 315_360_000;

$seconds = (float) ($argv[1] ?? 10);
$seed = (int) (($argv[2] ?? '') !== '' ? $argv[2] : random_int(1, 1 << 30));

set_error_handler(function (int $level, string $message): never {
	throw new ErrorException($message, $level);
});

final class Text
{
	public function __construct(private readonly string $text) {}

	public function __toString(): string
	{
		return $this->text;
	}
}

enum Kind: int
{
	case One = 1;
}

/** Makes values: often nearly valid ones, because most defects are there. */
final class Inventor
{
	private int $depth = 0;

	public function expire(): mixed
	{
		return match (mt_rand(0, 15)) {
			0 => $this->value(),
			1 => $this->anyArray(),
			2 => [],
			3 => null,
			4 => $this->byReference(),
			5 => $this->ofObject(),
			6 => ['type' => mt_rand(1, 2), 'ttl' => $this->moment()],
			default => $this->shuffled(),
		};
	}

	/** Makes type and ttl, in either order, sometimes misspelt, missing or with further members. */
	private function shuffled(): array
	{
		$members = [
			[mt_rand(0, 15) > 0 ? 'type' : $this->key(), mt_rand(0, 3) > 0 ? $this->type() : $this->value()],
			[mt_rand(0, 15) > 0 ? 'ttl' : $this->key(), mt_rand(0, 3) > 0 ? $this->moment() : $this->value()],
		];
		for ($more = mt_rand(0, 15) - 13; $more > 0; $more--) {
			$members[] = [$this->key(), $this->value()];
		}
		shuffle($members);
		$expire = array_column($members, 1, 0);
		if (mt_rand(0, 7) === 0) {
			unset($expire[$members[0][0]]); /* leaves a hole in the table */
			$expire[$members[0][0]] = $members[0][1];
		}
		return $expire;
	}

	private function byReference(): array
	{
		$expire = $this->shuffled();
		foreach ($expire as $key => &$member) {
			$GLOBALS['kept'][$key] = &$member;
		}
		if (mt_rand(0, 3) === 0) {
			$expire['type'] = &$expire; /* contains itself */
		}
		return $expire;
	}

	/** Makes the tables of objects: declared members, private ones, unset ones. */
	private function ofObject(): array
	{
		$object = new class {
			public mixed $type = 1;
			public mixed $ttl = 60;
			private int $hidden = 3;
		};
		$object->type = $this->type();
		$object->ttl = $this->moment();
		if (mt_rand(0, 3) === 0) {
			unset($object->ttl);
		}
		return match (mt_rand(0, 2)) {
			0 => (array) $object,
			1 => get_object_vars($object),
			2 => (array) new ArrayObject(['type' => $object->type, 'ttl' => 60]),
		};
	}

	private function anyArray(): array
	{
		$array = [];
		for ($n = mt_rand(0, 4); $n > 0; $n--) {
			$array[$this->key()] = $this->value();
		}
		return $array;
	}

	private function key(): int|string
	{
		return match (mt_rand(0, 7)) {
			0 => 'type', 1 => 'ttl', 2 => 'Type', 3 => "ttl\0", 4 => '', 5 => mt_rand(-2, 2),
			6 => random_bytes_of(mt_rand(1, 60)), 7 => str_repeat('type', mt_rand(1, 300)),
		};
	}

	private function type(): mixed
	{
		return $this->as(mt_rand(0, 7) > 0 ? mt_rand(1, 2) : mt_rand(-1, 4));
	}

	private function moment(): mixed
	{
		$edges = [0, 1, TEN_YEARS, NOW, NOW + 1, NOW + TEN_YEARS, PHP_INT_MAX, PHP_INT_MIN, 2 ** 31, 2 ** 32, 2 ** 53, -60];
		return $this->as(mt_rand(0, 2) === 0 ? $edges[array_rand($edges)] + 0 : match (mt_rand(0, 2)) {
			0 => mt_rand(1, 4000), 1 => NOW + mt_rand(-5, 4000), 2 => $this->huge(),
		});
	}

	private function huge(): int
	{
		return mt_rand(0, PHP_INT_MAX) >> mt_rand(0, 62);
	}

	/** Makes an int, or one of its spellings. */
	private function as(int $n): mixed
	{
		return match (mt_rand(0, 15)) {
			default => $n,
			0, 1 => (string) $n,
			2 => " $n", 3 => "$n ", 4 => "+$n", 5 => "00$n", 6 => "$n.0", 7 => "{$n}e0", 8 => "{$n}x", 9 => (float) $n,
			10 => "$n\0",
		};
	}

	public function value(): mixed
	{
		if ($this->depth > 3) {
			return 1;
		}
		$this->depth++;
		$value = match (mt_rand(0, 17)) {
			0 => null, 1 => true, 2 => false, 3 => NAN, 4 => INF, 5 => mt_rand() / 7, 6 => $this->huge(), 7 => -$this->huge(),
			8 => random_bytes_of(mt_rand(0, 30)), 9 => str_repeat((string) mt_rand(0, 9), mt_rand(1, 2000)), 10 => $this->anyArray(),
			11 => new stdClass(), 12 => new Text((string) mt_rand(1, 3)), 13 => Kind::One, 14 => fn () => 1, 15 => STDERR,
			16 => new ArrayObject(['type' => 1, 'ttl' => 60]), 17 => ['1e2', '0x1', '0b1', '1_0', '', ' ', '.5', '٣', "1\n", '-0'][mt_rand(0, 9)],
		};
		$this->depth--;
		return $value;
	}
}

function random_bytes_of(int $n): string
{
	$bytes = '';
	while ($n-- > 0) {
		$bytes .= chr(mt_rand(0, 255));
	}
	return $bytes;
}

/** Returns an int, or the int of a numeric string; otherwise null. */
function int_of(mixed $value): ?int
{
	if (is_string($value) && is_numeric($value)) {
		$value += 0;
	}
	return is_int($value) ? $value : null;
}

/** Returns the expected effect: 'none' and 'past' start no ban, a number is a ban's length; null: not well-formed. */
function meaning(mixed $expire): int|string|null
{
	if ($expire === null || $expire === []) {
		return 'none';
	}
	if (!is_array($expire) || count($expire) !== 2 || !array_key_exists('type', $expire) || !array_key_exists('ttl', $expire)) {
		return null;
	}
	$type = int_of($expire['type']);
	$ttl = int_of($expire['ttl']);
	return match (true) {
		$type === null, $ttl === null => null,
		$type === 1 => $ttl >= 1 && $ttl <= TEN_YEARS ? $ttl : null,
		$type === 2 => $ttl > NOW + TEN_YEARS ? null : ($ttl > NOW ? $ttl - NOW : 'past'),
		default => null,
	};
}

function must(bool $kept, string $what): void
{
	if (!$kept) {
		throw new LogicException($what);
	}
}

function call(string $method, int $number, mixed $expire): bool|Result|InvalidArgument|TypeError
{
	try {
		$answer = [FrequencyLimit::class, $method]('fuzz', 1, 60, $number, $expire);
	} catch (InvalidArgument | TypeError $e) {
		must($e instanceof TypeError || str_starts_with($e->getMessage(), '非法参数: $expire'), 'its message: ' . $e->getMessage());
		must($e instanceof InvalidArgument || !is_array($expire), 'a TypeError for an array');
		return $e;
	}
	must($method === 'doHandle' ? is_bool($answer) : $answer instanceof Result, 'an answer of another type');
	return $answer;
}

/** Makes a call with this $expire after three counted calls, below the limit or at it. */
function play(string $method, bool $full, mixed $expire): void
{
	FrequencyLimit::reset('fuzz', 1);
	for ($i = 0; $i < 3; $i++) {
		FrequencyLimit::check('fuzz', 1, 60, 100);
	}
	$meaning = meaning($expire);
	$answer = call($method, $full ? 3 : 100, $expire);
	$next = FrequencyLimit::check('fuzz', 1, 60, 100);
	$passed = $answer instanceof Result ? $answer->accepted : $answer;
	if ($meaning === null) {
		must($passed instanceof Throwable, 'it was taken');
		must($next->accepted && $next->remaining === 96, 'it counted');
		return;
	}
	must(is_bool($passed), 'it was refused: ' . ($passed instanceof Throwable ? $passed->getMessage() : ''));
	must($passed === !$full, 'its decision');
	if ($full && is_int($meaning)) {
		must(!$next->accepted && $next->retryAfter === (float) $meaning, 'its ban');
	} else {
		must($next->accepted && $next->remaining === ($full ? 96 : 95), 'what it counted');
	}
}

mt_srand($seed);
Clock::freeze(NOW);
$generator = new Inventor();
$kept = [];
$decided = $refused = 0;
$until = microtime(true) + $seconds;
do {
	$kept = [];
	$expire = $generator->expire();
	$method = mt_rand(0, 1) ? 'doHandle' : 'check';
	$full = (bool) mt_rand(0, 1);
	try {
		play($method, $full, $expire);
	} catch (Throwable $e) {
		printf("expire: seed %d, call %d: %s: %s\n", $seed, $decided + $refused + 1, $e::class, $e->getMessage());
		printf("%s, %s: ", $method, $full ? 'at the limit' : 'below the limit');
		var_dump($expire);
		exit(1);
	}
	meaning($expire) === null ? $refused++ : $decided++;
} while (microtime(true) < $until);
printf("expire   %d calls in %d s, seed %d: %d decided, %d refused\n", $decided + $refused, $seconds, $seed, $decided, $refused);
exit($decided > 0 && $refused > 0 ? 0 : 1);
