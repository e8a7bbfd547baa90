<?php
/**
 * Plays random programs in which application code does anything where the extension calls it, or PHP on the extension's behalf.
 *
 * Usage: callbacks.php [seconds, default 10] [seed of the first program] [number of programs] [fork | requests]
 *
 * A program has calls of public methods and limited functions, the callbacks that run during them, what these do, and how they end.
 * It runs in a fork, or with "requests" in two requests of one worker of php-fpm. The second of these has no client any more, and a
 * third request checks what they left in the worker.
 *
 * A finding is a crash, a report of a sanitizer, a silent end, or more than a minute. It also is a limiter that decides wrongly behind the
 * program. In a fork it also is another answer than the same call has with a quiet listener. The finding's program is shortened and
 * printed, and the exit status is 1. The seed of a program repeats it.
 *
 * tests/monitor/listener-random-callbacks.phpt and listener-random-requests.phpt run this. scripts/asan.sh runs them with sanitizers, and
 * scripts/long.sh callbacks for an hour. Four defects were planted again, and forks found each within two minutes, the first two within
 * ten seconds. The first and the last need AddressSanitizer; tests/tools/breaks.sh plants the first three:
 *
 * - conclude.c, listen_within(): request->last is written behind the listener, without a check that the request is still there.
 * - conclude.c, php_ratelimit_conclude(): the refusal is made behind the listener, of a function that has left the cache.
 * - limiter_class.c, consumeMany(): limiter->named is NULL during listen_to_each().
 * - limiter_class.c, listen_to_each(): each event is made of the borrowed keys just before its call.
 */

require_once __DIR__ . '/../include/fpm.inc';

use FrequencyLimit\{Clock, Limit, Limiter, LimitExceeded, Monitor, Period, Permit, Reason, Request, Result};

const NOW = 1_900_000_000;
const SECONDS_A_PROGRAM = 60; /* on a busy machine */
const SETTINGS = [
	'store' => ['shm:', 'redis://127.0.0.1:1?timeout=5', 'nonsense'],
	'prefix' => ['act:limit:', 'other:', ''],
	'limiters' => ['/nowhere', '', 'relative', '@file'],
	'on_failure' => ['local', 'allow', 'deny', 'throw', 'nonsense'],
	'ipv6_prefix' => ['64', '128', 'x'],
	'trusted_proxies' => ['', '192.0.2.0/24', '0.0.0.0/0, ::/0', 'x'],
	'enforce' => ['1', '0', 'x'],
	'top' => ['1', '0'],
	'testing' => ['1', '0', 'x'],
];
const INI = ['session.cache_limiter' => '', 'session.gc_probability' => '0', 'display_errors' => '0', 'log_errors' => '1'];
const FILE = "[exempt]\nexempt = bob\na = fixed:1/1h,ban=60s\n[two]\na = fixed:3/1h\nb = log:2/60s\n[held]\np = concurrent:2/60s\na = bucket:3/1h\n"
	. "[labelled]\na = fixed:2/1h,by=a\nb = fixed:3/1h,by=b\n";

/* ---- The world of a program ---- */

/** The objects that the programs' code refers to. */
final class World
{
	public bool $armed = false;
	public bool $late = false;
	public bool $over = false;
	public int $depth = 0;
	public int $acts = 0;
	public string $ended = '';
	public string $folder;
	public string $file;
	/** @var array<int, Closure> */
	public array $callbacks = [];
	/** @var array<string, Limiter> */
	public array $limiters = [];
	/** @var list<Permit> */
	public array $permits = [];
	/** @var list<Result> */
	public array $results = [];
	/** @var list<Limit> */
	public array $limits = [];
	public array $kept = [];
	public array $ids = [];

	/** Fills the world, in place of all that it held. */
	public function make(bool $frozen): void
	{
		if (PHP_SAPI === 'cli') {
			$frozen ? Clock::freeze(NOW) : Clock::unfreeze();
			FrequencyLimit::flush();
		}
		$this->limits = [Limit::fixedWindow(2, 60)->ban(60), Limit::calendar(3, Period::Day, 'UTC'), Limit::slidingLog(2, 60), Limit::slidingWindow(3, 60)->named('w'),
			Limit::tokenBucket(3, 60)->leased(), Limit::concurrent(2, 60), Limit::none(), Limit::fixedWindow(3, 60)->ban([1, 10, 100], 1000)->shadow(),
			Limit::every(3, new DateInterval('P1M'), new DateTimeImmutable('2020-01-31 UTC'))];
		$this->limiters = [
			'one' => new Limiter('one', $this->limits[0]),
			'several' => new Limiter('several', ['day' => $this->limits[1], 'log' => $this->limits[2]]),
			'shadow' => new Limiter('shadow', [$this->limits[3], $this->limits[7]]),
			'bucket' => new Limiter('bucket', $this->limits[4]),
			'places' => new Limiter('places', [Limit::concurrent(2, 60), Limit::fixedWindow(5, 60)]),
			'labels' => new Limiter('labels', [Limit::fixedWindow(2, 60)->by('a')->ban(60), Limit::slidingLog(3, 60)->by('b')]),
			'booked' => new Limiter('booked', Limit::calendar(3, Period::Day, 'UTC')),
			'away' => new Limiter('away', Limit::fixedWindow(2, 60), 'redis://127.0.0.1:1?timeout=5'),
			'exempt' => Limiter::named('exempt'),
			'two' => Limiter::named('two'),
		];
		if (PHP_SAPI !== 'cli') {
			$this->reset();
		}
		$this->permits = [$this->limiters['places']->acquire('held'), $this->limiters['one']->acquire('held'), $this->limiters['one']->acquire('held', 3)];
		$this->results = [$this->permits[0]->result, $this->permits[2]->result, Result::of(Reason::Limited, retryAfter: 5), Result::of()];
		$this->ids = [];
		foreach (['outer', 'bob', 17, 'inside'] as $i => $id) {
			$this->kept["id $i"] = is_int($id) ? $id : strrev(strrev($id)); /* not interned */
			$this->ids["key $i"] = &$this->kept["id $i"];
		}
	}

	/** Forgets the counts of earlier requests, where flush() does not exist. */
	private function reset(): void
	{
		foreach (['outer', 'bob', 7, 17, 'inside', 'held'] as $id) {
			FrequencyLimit::reset('act', $id);
			foreach ($this->limiters as $name => $limiter) {
				if ($name !== 'away') {
					$limiter->reset($name === 'labels' ? ['a' => $id, 'b' => $id] : $id);
				}
			}
		}
	}

	/** Runs a callback's code, unless callbacks are nested too deeply. */
	public function act(int $which): mixed
	{
		if (!$this->armed || $this->depth > 2 || ++$this->acts > 40) {
			return null;
		}
		$this->depth++;
		try {
			return $this->callbacks[$which]();
		} finally {
			$this->depth--;
		}
	}
}

function world(): World
{
	static $world = new World;
	return $world;
}

function limiter(string $name): Limiter
{
	return world()->limiters[$name] ??= new Limiter($name, Limit::fixedWindow(2, 60));
}

function permit(int $i): Permit
{
	return world()->permits[$i] ??= limiter('places')->acquire('more');
}

function result(int $i): Result
{
	return world()->results[$i] ??= Result::of(Reason::Limited);
}

function limit(int $i): Limit
{
	return world()->limits[$i] ??= Limit::concurrent(1, 60);
}

/** Acts as its object ends. */
final class Ends
{
	public function __construct(private readonly int $which) {}

	public function __destruct()
	{
		world()->act($this->which);
	}

	public function __invoke(mixed ...$ignored): mixed
	{
		return world()->act($this->which);
	}
}

/** Acts where it becomes a string. */
final class Text implements Stringable
{
	public function __construct(private readonly int $which, private readonly string $text) {}

	public function __toString(): string
	{
		world()->act($this->which);
		return $this->text . substr('12345678', 0, 1);
	}
}

/** Acts wherever PHP asks it for something, and ends with an act. */
final class Moment extends DateTimeImmutable
{
	public function __construct(private readonly int $which, string $at = '@' . NOW)
	{
		parent::__construct($at);
	}

	public function format(string $format): string
	{
		world()->act($this->which);
		return parent::format($format);
	}

	public function getTimezone(): DateTimeZone|false
	{
		world()->act($this->which);
		return parent::getTimezone();
	}

	public function __destruct()
	{
		world()->act($this->which);
	}
}

/** Acts where the constant expression of an attribute makes it. */
final class Acts
{
	public function __construct()
	{
		world()->act(0);
	}
}

/** Writes a session by a callback. */
final class Sessions implements SessionHandlerInterface
{
	public function __construct(private readonly int $which) {}

	public function open(string $path, string $name): bool
	{
		world()->act($this->which);
		return true;
	}

	public function read(string $id): string|false
	{
		world()->act($this->which);
		return '';
	}

	public function write(string $id, string $data): bool
	{
		world()->act($this->which);
		return true;
	}

	public function close(): bool
	{
		world()->act($this->which);
		return true;
	}

	public function destroy(string $id): bool
	{
		return true;
	}

	public function gc(int $seconds): int|false
	{
		return 0;
	}
}

const ATTRIBUTES = [
	'access' => '#[FrequencyLimit\AccessLimit(60, 2)]',
	'windows' => '#[FrequencyLimit\AccessLimit(60, 2, action: "%s"), FrequencyLimit\AccessLimit(3600, 3, action: "%1$s")]',
	'place' => '#[FrequencyLimit\ConcurrencyLimit(1, 60)]',
	'both' => '#[FrequencyLimit\AccessLimit(60, 3), FrequencyLimit\ConcurrencyLimit(2, 60)]',
	'login' => '#[FrequencyLimit\AccessLimit(60, 2, needLogin: true)]',
	'named' => '#[FrequencyLimit\RateLimit("two")]',
	'held' => '#[FrequencyLimit\RateLimit("held"), FrequencyLimit\RateLimit("two", cost: 2), FrequencyLimit\AccessLimit(60, 3)]',
	'labelled' => '#[FrequencyLimit\RateLimit("labelled")]',
	'defined' => '#[FrequencyLimit\RateLimit("own")]',
	'missing' => '#[FrequencyLimit\AccessLimit(Missing::SECONDS, 2)]',
	'unresolved' => '#[AccessLimit(60, 2)]', /* of no class: the end of the request asks the autoloaders for it */
	'wrong' => '#[FrequencyLimit\AccessLimit(60, WRONG)]',
	'constant' => '#[FrequencyLimit\AccessLimit(new Acts ? 60 : 50, 2)]',
];

/** Declares the limited functions. There are more than are cached at a time. */
function declare_functions(): void
{
	$code = '';
	foreach (ATTRIBUTES as $name => $attributes) {
		$attributes = sprintf($attributes, $name);
		$code .= "$attributes function f_$name(mixed ...\$a): mixed { return body(\$a); }\n";
		$code .= "$attributes function g_$name(mixed ...\$a): Generator { yield 1; yield body(\$a); }\n";
		$code .= "final class C_$name { $attributes public static function call(mixed ...\$a): mixed { return body(\$a); } }\n";
	}
	$code .= '#[FrequencyLimit\RateLimit("exempt", id: "who")] function of(mixed $who, mixed ...$a): mixed { return body($a); }'
		. '#[FrequencyLimit\RateLimit("two")] final class K { function call(mixed ...$a): mixed { return body($a); } function outer(mixed ...$a): mixed { return $this->call(...$a); }'
		. ' #[FrequencyLimit\RateLimit("held")] static function both(mixed ...$a): mixed { return body($a); } }';
	for ($i = 0; $i < 100; $i++) {
		$code .= ($i % 2 ? '#[FrequencyLimit\AccessLimit(50, 7777)]' : '#[FrequencyLimit\ConcurrencyLimit(8888, 50)]') . " function o_$i(): void {}\n";
	}
	eval($code);
}

function body(array $arguments): ?int
{
	if (isset($arguments[0]) && $arguments[0] instanceof Closure) {
		$arguments[0]();
	}
	return Request::lastResult()?->limit;
}

function others(): void
{
	for ($i = 0; $i < 100; $i++) {
		("o_$i")();
	}
}

/* ---- What programs do besides calls of the API ---- */

/** Forgets everything that a program has. */
function drop(): void
{
	$world = world();
	$world->limiters = $world->permits = $world->results = $world->limits = $world->kept = [];
	$world->ids = [];
	gc_collect_cycles();
}

/** Writes over the identities that a call was given by reference. */
function overwrite(): void
{
	foreach (world()->kept as &$kept) {
		$kept = str_repeat('#', 40);
	}
}

/** Writes the limiters file: a new one, because a known one is looked at again only after a while. */
function write_file(string $text): void
{
	$world = world();
	$world->file = "$world->folder/limiters-" . hrtime(true) . '.ini';
	file_put_contents($world->file, $text);
	touch($world->file, time() - 10);
	setting('limiters', '@file');
}

function setting(string $name, string $value): void
{
	ini_set("ratelimit.$name", $value === '@file' ? world()->file : $value);
}

/** Sends the response, and goes on. */
function finish(): void
{
	function_exists('fastcgi_finish_request') && fastcgi_finish_request();
}

/** Ends as a program may end in a callback. */
function end_by(string $how): void
{
	world()->ended = $how;
	switch ($how) {
		case 'throw':
			throw new DomainException('thrown');
		case 'exit':
			exit;
		case 'fatal':
			eval('class Twice {} class Twice {}');
		case 'error':
			trigger_error('an error', E_USER_ERROR);
			break;
		case 'time':
			set_time_limit(1);
			for (;;) {
			}
		case 'memory':
			/* Without PHP's own allocator there is no memory_limit. */
			if (getenv('USE_ZEND_ALLOC') === '0') {
				eval('class Twice {} class Twice {}');
			}
			ini_set('memory_limit', (string) (memory_get_usage() + (4 << 20)));
			str_repeat('x', 64 << 20);
	}
}

/** Makes a call, and keeps what it returns. */
function call(Closure $call, bool $caught = true): void
{
	try {
		$returned = $call();
		if ($returned instanceof Generator) {
			foreach ($returned as $value) {
			}
		} elseif ($returned instanceof Permit) {
			world()->permits[count(world()->limiters) % 4] = $returned; /* of which an older one ends */
		} elseif ($returned instanceof Result) {
			world()->results[] = $returned;
		} else {
			world()->kept['returned'] = $returned;
		}
	} catch (Throwable $e) {
		if (!$caught) {
			world()->ended = 'uncaught';
			throw $e;
		}
	}
}

/** Makes a call in a fiber. Where code suspends it, $meanwhile runs, and the fiber goes on, or never does. */
function in_fiber(Closure $call, Closure $meanwhile, bool $resumes): void
{
	$fiber = new Fiber(fn () => call($call));
	try {
		$fiber->start();
		while ($fiber->isSuspended()) {
			call($meanwhile);
			if (!$resumes) {
				break;
			}
			$fiber->resume();
		}
	} catch (Throwable) {
	}
}

function suspend(): void
{
	if (Fiber::getCurrent()) {
		Fiber::suspend();
	}
}

/** Acts where text is put out. PHP crashes by itself where such a callback begins behind the end of the request. */
function output(int $which): void
{
	if (!world()->over) {
		ob_start(function () use ($which): string {
			world()->act($which);
			return '';
		}, 1);
	}
}

/* ---- What must hold ---- */

function broken(string $what): void
{
	fwrite($GLOBALS['report'], "FAILED: $what\n");
}

function facts(mixed $answer): mixed
{
	if ($answer instanceof Permit) {
		$answer = $answer->result;
	}
	if ($answer instanceof Result) {
		return [$answer->accepted, $answer->reason, $answer->limit, $answer->remaining, $answer->granted, $answer->retryAfter, $answer->resetAfter,
			$answer->name, $answer->shadow, $answer->headers(), $answer->accepted ? null : $answer->problem()];
	}
	/* A limited function returns a number of its request, which may have ended. */
	return is_array($answer) ? array_map(facts(...), $answer) : (is_int($answer) ? null : $answer);
}

/** Returns the answer of some equal calls, the last of which has a listener, or what it throws. */
function answer(Closure $call, int $times, ?Closure $listener): mixed
{
	world()->make(true);
	Request::begin('192.0.2.1', '/path');
	try {
		for ($i = 1; $i <= $times; $i++) {
			Monitor::listen($i === $times ? $listener : null);
			$answer = $call();
		}
	} catch (LimitExceeded $e) {
		$answer = [$e->getMessage(), $e->result];
	} catch (Throwable $e) {
		return [get_class($e), $e->getMessage()];
	} finally {
		Monitor::listen(null);
	}
	return facts($answer);
}

/** Checks that what a listener does changes no answer of the call that it hears, and that an exempt identity is exempt in it. */
function compare(Closure $call, int $times, int $which): void
{
	if (PHP_SAPI !== 'cli') {
		return; /* counts cannot be flushed there */
	}
	$heard = $threw = false;
	$expected = answer($call, $times, function () use (&$heard): void {
		if (!$heard && !limiter('exempt')->allow('bob', 2)) {
			broken('an exempt identity is refused in a listener');
		}
		$heard = true;
	});
	$got = answer($call, $times, function () use ($which, &$threw): void {
		$threw = world()->armed = true;
		world()->act($which);
		$threw = world()->armed = false;
	});
	if ($heard && !$threw && json_encode($expected) !== json_encode($got)) {
		broken('the answer is ' . json_encode($got) . ' instead of ' . json_encode($expected));
	}
}

/** Checks, behind a program, that limiters decide as ever. */
function check(): void
{
	$world = world();
	$world->armed = false;
	$world->over = true;
	set_time_limit(0);
	ini_set('memory_limit', '-1');
	set_error_handler(null);
	/* An uncaught refusal of a web request has its status instead of a line of the log. */
	$answered = PHP_SAPI !== 'cli' && (connection_aborted() || headers_sent() || in_array(http_response_code(), [401, 429], true));
	if ($world->ended === '' && !$answered) {
		fwrite($GLOBALS['report'], "no end\n");
	}
	try {
		Monitor::listen(null);
		foreach (array_keys(SETTINGS) as $name) {
			ini_restore("ratelimit.$name");
		}
		write_file(FILE);
		if (PHP_SAPI === 'cli') {
			setting('testing', '1');
			Clock::freeze(NOW + 1_000_000);
		}
		/* The counts of a fresh identity are fresh. */
		$who = random_int(1, 1 << 31);
		Request::begin('2001:db8:' . dechex($who >> 16) . ':' . dechex($who & 0xffff) . '::1', '/after');
		$exempt = Limiter::named('exempt');
		$admitted = fn (Closure $call): string => implode(array_map(function () use ($call): int {
			try {
				return (int) ($call() !== false);
			} catch (LimitExceeded) {
				return 0;
			}
		}, range(1, 4)));
		$checks = [
			'exempt' => ['1111', fn () => $exempt->allow('bob')],
			'exempt, many' => ['1111', fn () => !in_array(false, array_column($exempt->consumeMany(['bob', 'bob']), 'accepted'), true)],
			'not exempt' => ['1000', fn () => $exempt->allow($who)],
			'limiter' => ['1110', fn () => (new Limiter('after', Limit::slidingLog(3, 60)))->allow($who)],
			'function' => ['1110', fn () => f_windows_after()],
			'place' => ['1111', fn () => f_place_after()],
			'limiters of the file' => ['1100', fn () => f_named_after()],
			'action' => ['1100', fn () => FrequencyLimit::doHandle('after', $who, 60, 2)],
			'log' => ['1100', fn () => FrequencyLimit::isActionAllowed($who, 'log after', 60, 2)],
		];
		foreach ($checks as $what => [$expected, $call]) {
			$got = $admitted($call);
			if ($got !== $expected) {
				broken("$what: $got instead of $expected");
			}
		}
		Monitor::metrics();
		if (PHP_SAPI === 'cli') {
			Clock::unfreeze();
		}
	} catch (Throwable $e) {
		broken('behind the program: ' . get_class($e) . ': ' . $e->getMessage());
	}
	fwrite($GLOBALS['report'], "checked\n");
	$world->acts = 0;
	$world->armed = $world->late;
}

#[FrequencyLimit\AccessLimit(60, 3, action: 'after')]
function f_windows_after(): void
{
}

#[FrequencyLimit\ConcurrencyLimit(1, 60, action: 'place after')]
function f_place_after(): void
{
}

#[FrequencyLimit\RateLimit('two'), FrequencyLimit\RateLimit('held')]
function f_named_after(): void
{
}

/* ---- The programs ---- */

/** Writes programs. A program is a list of parts, each a line of PHP. */
final class Writer
{
	private int $which = 0;

	/** @return list<string> */
	public static function write(int $seed): array
	{
		mt_srand($seed);
		return (new self)->program();
	}

	private function one(array $of): mixed
	{
		return $of[mt_rand(0, count($of) - 1)];
	}

	private function chance(int $in): bool
	{
		return mt_rand(1, $in) === 1;
	}

	private function program(): array
	{
		if ($this->chance(3)) {
			$parts = [];
			for ($i = mt_rand(1, 4); $i > 0; $i--) {
				$parts[] = $this->chance(3) ? 'AT 0: ' . $this->one(['drop();', 'overwrite();', 'others();', 'others();']) : $this->action(0);
			}
			if ($this->chance(3)) {
				$parts[] = $this->ending(0);
			}
			return [...$parts, 'compare(fn () => ' . $this->compared() . ', ' . mt_rand(1, 5) . ', 0);'];
		}
		$parts = ['world()->make(' . ($this->chance(4) ? 'false' : 'true') . ');'];
		if ($this->chance(2)) {
			$parts[] = "Request::begin('192.0.2.1', '/path');";
		}
		$parts[] = 'world()->armed = true;';
		if ($this->chance(3)) {
			$parts[] = 'world()->late = true;';
		}
		$callbacks = mt_rand(1, 3);
		$codes = [];
		for ($i = 0; $i < $callbacks; $i++) {
			for ($j = mt_rand(1, 4); $j > 0; $j--) {
				$codes[] = $this->action($i);
			}
			$codes[] = $this->ending($i);
			$this->which = $i;
			$parts[] = $this->hook($i);
		}
		for ($i = mt_rand(1, 5); $i > 0; $i--) {
			$this->which = mt_rand(0, $callbacks - 1);
			$call = $this->closure();
			$parts[] = match (mt_rand(1, 6)) {
				1 => "in_fiber($call, " . $this->closure() . ', ' . $this->one(['true', 'false']) . ');',
				2 => "call($call, false);",
				default => "call($call);",
			};
		}
		return [...$codes, ...$parts];
	}

	/** Writes a statement of a callback. */
	private function action(int $which): string
	{
		$this->which = $which;
		$do = match (mt_rand(1, 13)) {
			1 => 'Request::end()',
			2 => "Request::begin('192.0.2.9', '/other')",
			3 => $this->setting(),
			4 => 'write_file(' . $this->one(['FILE', '"[exempt]\na = fixed:5/1h\n"', '"mistake"', '""']) . ')',
			5 => $this->one(['drop()', 'overwrite()', 'others()', 'others()']),
			6 => $this->one(['suspend()', 'gc_collect_cycles()', 'unlink(world()->file)', 'trigger_error("noted")', 'print "text"', 'print str_repeat("text", 9000)', 'flush()', 'finish()']),
			7 => rtrim($this->hook($which), ';'),
			8 => '$_SERVER = ["REQUEST_METHOD" => "GET", "REQUEST_TIME_FLOAT" => mt_rand(), "REMOTE_ADDR" => "192.0.2.5", "REQUEST_URI" => "/x"]',
			9 => 'in_fiber(' . $this->closure() . ', fn () => suspend(), true)',
			10 => '(' . $this->closure() . ')()',
			default => $this->call(),
		};
		return "AT $which: " . ($this->chance(5) ? "$do;" : "call(fn () => $do);");
	}

	private function setting(): string
	{
		$name = $this->one(array_keys(SETTINGS));
		return sprintf('setting(%s, %s)', var_export($name, true), var_export($this->one(SETTINGS[$name]), true));
	}

	private function ending(int $which): string
	{
		return "AT $which: " . match (mt_rand(1, 16)) {
			1, 2, 3 => 'end_by("throw");',
			4 => 'end_by("exit");',
			5, 6 => $this->one(['end_by("fatal");', 'end_by("fatal");', 'end_by("error");', 'end_by("memory");', $this->chance(6) ? 'end_by("time");' : 'end_by("exit");']),
			7 => 'return 7;',
			8 => 'return "user";',
			9 => 'return [];',
			10 => 'return new Ends(' . $which . ');',
			default => 'return null;',
		};
	}

	/** Writes what makes PHP or the extension call a callback. */
	private function hook(int $which): string
	{
		return $this->one([
			...array_fill(0, 5, "Monitor::listen(fn () => world()->act($which));"),
			"Monitor::listen(fn () => world()->act($which), Reason::Limited, Reason::Banned);",
			"Monitor::listen(new Ends($which));",
			"Request::identifyBy(fn () => world()->act($which));",
			"Request::identifyBy(new Ends($which));",
			"set_error_handler(fn () => (bool) world()->act($which));",
			"set_exception_handler(fn () => [world()->ended = 'handled', world()->act($which)]);",
			"spl_autoload_register(fn (string \$class) => world()->act($which));",
			"output($which);",
			"session_set_save_handler(new Sessions($which), false) && session_start();",
			"world()->kept['id 1'] = new Ends($which);",
			"world()->limiters['ends'] = new Ends($which);",
			"register_shutdown_function(fn () => world()->act($which));",
			"header_register_callback(fn () => world()->act($which));",
		]);
	}

	/** Writes a call that decides. */
	private function decision(): string
	{
		return $this->one([$this->method(FrequencyLimit::class, $this->one(['doHandle', 'check', 'isActionAllowed'])),
			$this->method(Limiter::class, $this->one(['consume', 'allow', 'acquire', 'consumeMany', 'reserve']))]);
	}

	/** Writes such a call whose answer is compared with that of an equal call. */
	private function compared(): string
	{
		$name = $this->one(['access', 'windows', 'place', 'both', 'named', 'held', 'labelled']);
		return $this->one([$this->decision(), "f_$name()", "iterator_to_array(g_$name())", "C_$name::call()",
			"limiter('" . $this->one(['one', 'several', 'shadow', 'exempt', 'two']) . "')->consumeMany(world()->ids)"]);
	}

	private function limited(): string
	{
		$name = $this->one(array_keys(ATTRIBUTES));
		$argument = $this->one(['', '', "fn () => world()->act($this->which)", "new Ends($this->which)"]);
		if ($this->chance(8)) {
			return $this->one(['of("bob", ', 'of("outer", ', "of(new Text($this->which, ''), ", '(new K)->call(', '(new K)->outer(', 'K::both(']) . "$argument)";
		}
		return $this->one(["f_$name", "g_$name", "C_$name::call", "(new ReflectionFunction('f_$name'))->invoke"]) . "($argument)";
	}

	/** Writes a function with a call, which returns what the call does, or throws it away: a permit is lost then. */
	private function closure(): string
	{
		$call = $this->call();
		return $this->chance(4) ? "function () { $call; }" : "fn () => $call";
	}

	/** Writes what else PHP does with an object. Some of it warns, and so has a callback. */
	private function used(): string
	{
		$objects = ["limiter('one')", "limiter('labels')", 'limit(' . mt_rand(0, 8) . ')', 'permit(' . mt_rand(0, 3) . ')', 'result(' . mt_rand(0, 3) . ')'];
		$object = $this->one($objects);
		return sprintf($this->one(['(bool) %s', '(bool) %s', '!%s', '(string) %s', '(int) %s', '%s == ' . $this->one($objects), 'clone %s', 'serialize(%s)', 'json_encode(%s)', 'var_export(%s, true)',
			'(array) %s', 'unserialize(serialize(%s))', "%s->name = new Ends($this->which)", '%s->accepted', 'isset(%s->result->none)', 'iterator_to_array(%s)', "%s->result ?? null"]), $object);
	}

	/** Writes any call. */
	private function call(): string
	{
		return match (mt_rand(1, 11)) {
			11 => $this->used(),
			1, 2, 3 => $this->limited(),
			4, 5 => $this->decision(),
			6 => $this->setting(),
			default => $this->method(...$this->one(self::methods())),
		};
	}

	/** All public methods of the extension: one that is new is called, too, or has a parameter that values() refuses. */
	private static function methods(): array
	{
		static $methods = [];
		foreach ($methods ? [] : (new ReflectionExtension('ratelimit'))->getClasses() as $class) {
			foreach ($class->isInterface() || $class->isEnum() ? [] : $class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
				if ($method->getDeclaringClass()->name === $class->name) {
					$methods[] = [$class->name, $method->name];
				}
			}
		}
		return $methods;
	}

	private function method(string $class, string $method): string
	{
		$reflection = new ReflectionMethod($class, $method);
		$labels = false;
		$on = match (true) {
			$reflection->isConstructor() => "new \\$class",
			$reflection->isStatic() => "\\$class::$method",
			default => $this->object($class, $method, $labels) . "->$method",
		};
		$arguments = [];
		foreach ($reflection->getParameters() as $parameter) {
			if ($parameter->isOptional() && $this->chance(2)) {
				break;
			}
			$name = $parameter->getName();
			if ($labels && in_array($name, ['id', 'ids'], true)) {
				$arguments[] = $this->one(["['a' => 'outer', 'b' => 'inside']", "world()->ids", "['a' => &\$GLOBALS['a'], 'b' => 'x']"]);
				continue;
			}
			$arguments[] = $this->value("$class::$method", $name);
		}
		return str_replace("&\$GLOBALS['a']", "world()->ids['key 0']", "$on(" . implode(', ', $arguments) . ')');
	}

	private function object(string $class, string $method, bool &$labels): string
	{
		switch ($class) {
			case Limiter::class:
				$name = $this->one(in_array($method, ['reserve', 'cancel'], true) ? ['booked', 'booked', 'one']
					: ['one', 'several', 'shadow', 'bucket', 'places', 'labels', 'booked', 'away', 'exempt', 'exempt', 'exempt', 'exempt', 'two']);
				$labels = $name === 'labels';
				return "limiter('$name')";
			case Limit::class:
				return 'limit(' . mt_rand(0, 8) . ')';
			case Permit::class:
				return 'permit(' . mt_rand(0, 3) . ')';
			case Result::class:
				return 'result(' . mt_rand(0, 3) . ')';
			case FrequencyLimit\LimitExceeded::class:
				return "(new \\$class(result(1)))";
			default:
				return "(new \\$class('text'))";
		}
	}

	private function value(string $of, string $parameter): string
	{
		$which = $this->which;
		$values = match ($parameter) {
			'action', 'actionKey', 'name' => ["'act'", "'act'", "'exempt'", "new Text($which, 'act')"],
			'id', 'userId' => ["'outer'", "'192.0.2.0/24'", '7', '7', "'bob'", "new Text($which, '')", '1.5', "world()->ids['key 0']"],
			'ids' => ['world()->ids', 'world()->ids', "['outer', 'bob', 7, 'bob']", "['x', new Ends($which)]"],
			'time', 'seconds', 'number', 'maxCount', 'limit', 'rate', 'burst', 'cost', 'count', 'window', 'forget' => ['1', '2', '3', '60', '1.5', '-1', "new Text($which, '')"],
			'period' => str_contains($of, 'isActionAllowed') ? ['60', '1.5'] : ['Period::Day', 'Period::Week'],
			'expire' => ['[]', "['type' => 1, 'ttl' => 60]", "['type' => 2, 'ttl' => new Text($which, '')]", "['type' => 1, 'ttl' => new Ends($which)]"],
			'end' => ['60', 'Period::Hour', "new Moment($which, '@' . (NOW + 100))", '[1, 10]', "[new Text($which, '1')]", "new Ends($which)"],
			'at' => ['NOW', 'NOW + 86400', "new Moment($which)", "new Moment($which, '@' . (NOW + 90000))", '1.5'],
			'anchor' => ["new Moment($which)", 'new DateTime("2020-01-31 UTC")'],
			'interval' => ["new DateInterval('P1M')", "new DateInterval('PT1H')"],
			'timezone' => ["'Europe/Berlin'", 'null', "new Text($which, 'UTC')"],
			'weekStart' => ['1', '7', '9'],
			'unit' => ["'tokens'", "''", "new Text($which, 'tokens')"],
			'text' => ["'log:5/15m,ban=1h,name=account'", "new Text($which, 'fixed:5/')", "'mistake'"],
			'array' => ["['text' => 'fixed:5/60s']", "[new Ends($which)]", "['limit' => 'log:5/15m', 'text' => new Text($which, '')]"],
			'data' => ["['fixed:5/60s']", "[new Ends($which)]", "['text' => 'log:5/15m']"],
			'identity' => ["'a'", "new Text($which, 'a')"],
			'limiter' => ["limiter('one')", "limiter('two')", "limiter('labels')", "new Limiter('own', limit(4))", "new Limiter('own', [limit(0), limit(5)])", "new Limiter('two', limit(0))"],
			'limits' => ['limit(0)', '[limit(1), limit(2)]', 'world()->limits', "['x' => limit(0), 'y' => new Ends($which)]"],
			'store' => ['null', "'shm:'", "'redis://127.0.0.1:1?timeout=5'", "new Text($which, 'shm:')"],
			'leave', 'atLeast', 'remaining', 'granted', 'level', 'identities' => ['0', '1', '1.5', 'null'],
			'maxWait', 'retryAfter', 'resetAfter', 'nextAfter', 'wait' => ['0', '0.01', '1.5'],
			'peek', 'legacy', 'needLogin', 'network', 'class' => ['true', 'false'],
			'reason', 'reasons' => ['Reason::Limited', 'Reason::Accepted', 'Reason::Banned'],
			'result' => ['result(1)', 'result(2)', 'result(0)'],
			'message', 'address', 'path', 'forwardedFor' => ["'text'", 'null', "'192.0.2.3'", "new Text($which, '/a/../b')"],
			'listener', 'resolver' => ['null', "new Ends($which)", "fn () => world()->act($which)", "'Missing::call'", "['Missing', 'call']"],
			'position' => ["''", "new Text($which, '')", "'x'"],
			'previous', 'code' => ['null'],
			default => throw new LogicException("no values for $$parameter of $of()"),
		};
		return $this->one($values);
	}
}

/* ---- The player ---- */

/** Returns the text of a program. */
function text(array $parts): string
{
	$bodies = $other = [];
	foreach ($parts as $part) {
		if (preg_match('/^AT (\d+): (.*)$/s', $part, $found)) {
			$bodies[$found[1]][] = "\t$found[2]\n";
		} else {
			$other[] = "$part\n";
		}
	}
	$code = '';
	for ($i = 0; $i < 3; $i++) {
		$code .= "world()->callbacks[$i] = function (): mixed {\n" . implode($bodies[$i] ?? []) . "\treturn null;\n};\n";
	}
	return $code . implode($other);
}

/** Runs a program, and checks at its end what it left. */
function run(string $program, string $folder): never
{
	$GLOBALS['report'] = fopen("$folder/log", 'a');
	ini_set('error_log', "$folder/log");
	world()->folder = $folder;
	write_file(FILE);
	register_shutdown_function(check(...));
	eval('use FrequencyLimit\{Clock, Limit, Limiter, LimitExceeded, Monitor, Period, Permit, Reason, Request, Result};' . $program);
	world()->ended = 'the end';
	exit;
}

/** Plays a program in a fork. Returns how its process ended; "": as any does. */
function play_in_fork(string $program, string $folder): string
{
	$child = pcntl_fork();
	if ($child === 0) {
		static $streams = [];
		pcntl_alarm(SECONDS_A_PROGRAM);
		array_map(fclose(...), [STDIN, STDOUT, STDERR]);
		$streams = [fopen('/dev/null', 'r'), fopen("$folder/log", 'a'), fopen("$folder/log", 'a')];
		FrequencyLimit::flush(); /* of earlier programs */
		run($program, $folder);
	}
	pcntl_waitpid($child, $status);
	return match (true) {
		!pcntl_wifsignaled($status) => '',
		pcntl_wtermsig($status) === SIGALRM => 'it does not end',
		default => 'signal ' . pcntl_wtermsig($status),
	};
}

/** Plays it in three requests of one worker. */
function play_in_requests(string $program, string $folder): string
{
	static $fpm = null, $requests = 0;
	$fpm ??= new Fpm(INI + ['session.save_path' => $folder],
		['www' => ['pm.max_children' => '1', 'pm.max_requests' => '3', 'request_terminate_timeout' => SECONDS_A_PROGRAM . 's']]);
	$before = strlen($fpm->log());
	foreach ([$program, $program, ''] as $i => $code) {
		$connection = $fpm->send('require ' . var_export(__FILE__, true) . '; declare_functions(); run(' . var_export($code, true) . ', ' . var_export($folder, true) . ');',
			own: ['REQUEST_URI' => '/' . ++$requests, 'REMOTE_ADDR' => '192.0.2.1']);
		if ($i !== 1) {
			stream_get_contents($connection);
		}
		fclose($connection);
	}
	$log = fn (): string => substr($fpm->log(), $before);
	/* The worker ends behind its third request, or has ended before. */
	eventually(fn () => str_contains($log(), ' exited '), SECONDS_A_PROGRAM);
	file_put_contents("$folder/log", $log(), FILE_APPEND);
	if (str_contains($log(), ' exited with code 0 ') && substr_count(file_get_contents("$folder/log"), "checked\n") === 3) {
		return '';
	}
	$fpm = null;
	if (str_contains(file_get_contents("$folder/log"), "Couldn't execute method")) {
		return ''; /* PHP ends a worker in which an object lives longer than its executor */
	}
	return preg_match('/execution timed out|exited on signal \d+|exited with code [1-9]\d*/', $log(), $found) ? $found[0] : 'a request is not checked';
}

/** Plays a program. Returns what it broke; "": nothing. */
function play(array $parts, string $folder): string
{
	$log = "$folder/log";
	file_put_contents($log, '');
	chmod($log, 0666);
	$ended = $GLOBALS['play'](text($parts), $folder);
	array_map(unlink(...), glob("$folder/limiters-*"));
	$output = file_get_contents($log);
	if (str_contains($output, 'False positive error reports may follow')) {
		return ''; /* a fatal error has left the stack of a fiber */
	}
	if (preg_match('/^FAILED: .*|ERROR: AddressSanitizer: [\w-]+|.*: runtime error: .*|.*Assertion .* failed.*/m', $output, $found)) {
		return $found[0];
	}
	if ($ended === '' && str_contains($output, "no end\n") && !str_contains($output, 'PHP Fatal error: ')) {
		return 'the program ends without a reason';
	}
	return $ended !== '' || str_contains($output, "checked\n") ? $ended : 'the process ended silently';
}

/** Removes the parts of a failing program that its failure does not need. */
function shorten(array $parts, string $broken, string $folder): array
{
	$kind = substr($broken, 0, 30);
	for ($i = count($parts) - 1; $i >= 0; $i--) {
		$fewer = $parts;
		array_splice($fewer, $i, 1);
		if (str_starts_with(play($fewer, $folder), $kind)) {
			$parts = $fewer;
		}
	}
	return $parts;
}

if (PHP_SAPI !== 'cli') {
	return;
}
$end = microtime(true) + (float) ($argv[1] ?? 10);
$seed = (int) (($argv[2] ?? '') !== '' ? $argv[2] : random_int(1, 1 << 30));
$last = $seed + (int) ($argv[3] ?? PHP_INT_MAX >> 1);
$play = ($argv[4] ?? '') === 'requests' ? play_in_requests(...) : play_in_fork(...);
$folder = temp_folder(0777);
ini_set('ratelimit.testing', '1');
array_map(ini_set(...), array_keys(INI), INI);
declare_functions();
$findings = [];
for ($played = 0; $seed + $played < $last && microtime(true) < $end && count($findings) < 10; $played++) {
	$parts = Writer::write($seed + $played);
	$broken = play($parts, $folder);
	if ($broken !== '' && !isset($findings[substr($broken, 0, 60)])) {
		$findings[substr($broken, 0, 60)] = true;
		$parts = shorten($parts, $broken, $folder);
		play($parts, $folder);
		echo 'seed ', $seed + $played, ": $broken\n", text($parts), preg_replace('/^/m', '  | ', implode("\n", array_slice(explode("\n", file_get_contents("$folder/log")), 0, 40))), "\n\n";
	}
}
ini_set('error_log', '/dev/null'); // the attributes of no class
echo $findings ? count($findings) . " findings in $played programs\n" : "$played programs\n";
exit($findings ? 1 : 0);
