--TEST--
A listener of a limited function ends the request, begins another, calls 100 others, throws, sets another listener
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{LimitExceeded, Monitor, Request};

const ATTRIBUTES = [
	'access' => '#[FrequencyLimit\AccessLimit(3600, 1, action: "%1$s")]',
	'two windows' => '#[FrequencyLimit\AccessLimit(3600, 1, action: "%1$s"), FrequencyLimit\AccessLimit(7200, 5, action: "%1$s")]',
	'place' => '#[FrequencyLimit\ConcurrencyLimit(1, 3600, action: "%1$s")]',
	'both' => '#[FrequencyLimit\AccessLimit(3600, 5, action: "%1$s"), FrequencyLimit\ConcurrencyLimit(1, 3600, action: "%1$s")]',
];

/** Declares a limited function. Its call returns what lastResult() is inside, or the result of $do. */
function declare_limited(string $name, string $attributes): string
{
	eval(sprintf("$attributes function %1\$s(?callable \$do = null) { return \$do ? \$do() : last_limit(); }", $name));
	return $name;
}

function last_limit(): ?int
{
	return Request::lastResult()?->limit;
}

/* More than the functions that are cached at a time. Their limits differ from all others. */
$others = [];
for ($i = 0; $i < 100; $i++) {
	$others[] = declare_limited("other_$i", $i % 2 ? '#[FrequencyLimit\AccessLimit(60, 7777)]' : '#[FrequencyLimit\ConcurrencyLimit(8888, 60)]');
}

/** Sets another listener as its object ends. */
final class Ends
{
	public function __destruct()
	{
		Monitor::listen(fn () => $GLOBALS['heard'][] = 'the third');
	}
}

/* What the listener does, and lastResult()->limit behind the call: false: the call's own. */
$acts = [
	'end the request' => [fn () => Request::end(), null],
	'begin another request' => [fn () => Request::begin('192.0.2.9', '/other'), null],
	'end it, and call others' => [function () use ($others): void {
		Request::end();
		Request::begin('192.0.2.1', '/again');
		array_map(fn (string $other) => $other(), $others);
	}, 7777],
	'call others' => [fn () => array_map(fn (string $other) => $other(), $others), false],
	'throw' => [fn () => throw new DomainException('heard'), false],
	'set another listener' => [function (): void {
		$GLOBALS['heard'][] = 'the first';
		Monitor::listen(fn () => $GLOBALS['heard'][] = 'the second');
	}, false],
];

/** The listener that does something, with an object that ends with it. */
function listener(callable $act, ?object $with): Closure
{
	return function () use ($act, $with): void {
		$act();
	};
}

function play(string $mode, callable $begin, array $acts, int $of): void
{
	foreach (ATTRIBUTES as $kind => $attributes) {
		foreach ($acts as $does => [$act, $last]) {
			$what = "$mode, $kind: $does";
			$name = declare_limited("limited_$of" . '_' . preg_replace('/\W/', '_', "{$kind}_$does"), $attributes);
			$own = $kind === 'both' ? [1, 5] : [1];
			$expected = $last === false ? $own : [$last];
			$listen = function () use ($act, $does): void {
				$GLOBALS['heard'] = [];
				Monitor::listen(listener($act, $does === 'set another listener' ? new Ends : null));
			};

			/* An admitted call. */
			$begin();
			$listen();
			try {
				$inside = $name();
				ok($does !== 'throw' && in_array($inside, $expected, true), "$what: lastResult() is " . shown($inside));
			} catch (DomainException) {
				ok($does === 'throw' && in_array(last_limit(), $own, true), "$what: the exception arrives");
			}
			if ($does === 'set another listener') {
				$GLOBALS['others'][1]();
				same(['the first', 'the third'], $GLOBALS['heard'], "$what: the next call, behind the end of the first listener");
			}
			Monitor::listen(null);

			/* A refused one. A place is held by the call around it. */
			$refused = function () use ($name, $what, $does, $listen, $expected, $own): void {
				$listen();
				try {
					$name();
					failed("$what: a second call");
				} catch (LimitExceeded $e) {
					same([1, 'limited', true], [$e->result->limit, $e->result->reason->value, str_contains($e->getMessage(), "\"$name\"")],
						"$what: the refusal: {$e->getMessage()}");
					ok($does !== 'throw' && in_array(last_limit(), $expected, true), "$what: lastResult() behind the refusal is " . shown(last_limit()));
				} catch (DomainException) {
					ok($does === 'throw' && last_limit() === 1, "$what: the exception takes the place of the refusal");
				}
				Monitor::listen(null);
			};
			$begin();
			if (str_contains($attributes, 'Concurrency')) {
				$name($refused);
			} else {
				$refused();
			}
		}
	}
}

/* A script's own state comes first: begin() makes the process a server. */
play('a script', fn () => null, array_diff_key($acts, ['begin another request' => 0, 'end it, and call others' => 0]), 1);
play('a server', fn () => Request::begin('192.0.2.1', '/path'), $acts, 2);

/* A resolver may do the same, before the decision. */
foreach (ATTRIBUTES as $kind => $attributes) {
	foreach (array_diff_key($acts, ['throw' => 0, 'set another listener' => 0]) as $does => [$act]) {
		$name = declare_limited('resolved_' . preg_replace('/\W/', '_', "{$kind}_$does"), $attributes);
		$call = function (?callable $do = null) use ($name, $act): mixed {
			Request::begin('192.0.2.1', '/path');
			Request::identifyBy(function () use ($act): int {
				Request::identifyBy(null);
				$act();
				return 7;
			});
			return $name($do);
		};
		$refused = function () use ($call, $kind, $does, $name): void {
			try {
				$call();
				failed("a resolver, $kind: $does: a second call");
			} catch (LimitExceeded $e) {
				ok(str_contains($e->getMessage(), "\"$name\" by 7"), "a resolver, $kind: $does: {$e->getMessage()}");
			}
		};
		$held = str_contains($attributes, 'Concurrency');
		$call($held ? $refused : null);
		$held || $refused();
	}
}
done();
?>
--EXPECT--
done
