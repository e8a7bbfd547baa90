--TEST--
A wall clock that is set an hour forward or back ends no ban early and extends none (embedded store)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/simclock.inc';
foreach ([3_600_000_000, -3_600_000_000] as $step) {
	$clock = new SimClock();
	$php = new SimPhp($clock);
	$php('
		use FrequencyLimit\{Limit, Limiter};
		$GLOBALS["limiters"] = [
			"fixed" => new Limiter("fixed", Limit::fixedWindow(3, 600)),
			"log" => new Limiter("log", Limit::slidingLog(3, 600)),
			"window" => new Limiter("window", Limit::slidingWindow(3, 600)),
			"bucket" => new Limiter("bucket", Limit::tokenBucket(3, 600)),
			"ban" => new Limiter("ban", Limit::fixedWindow(3, 60)->ban(600)),
		];');
	/* Used up, and asked once more: the ban begins. */
	$php('
		for ($i = 0; $i < 4; $i++) {
			FrequencyLimit::doHandle("window", 1, 600, 3);
			FrequencyLimit::doHandle("ban", 1, 60, 3, ["type" => 1, "ttl" => 600]);
			foreach ($GLOBALS["limiters"] as $limiter) {
				$limiter->consume(1);
			}
		}');
	$facts = fn () => $php('
		$facts = [];
		foreach (["window", "ban"] as $action) {
			$facts[$action] = FrequencyLimit::check($action, 1, 600, 3);
		}
		foreach ($GLOBALS["limiters"] as $name => $limiter) {
			$facts["Limiter $name"] = $limiter->peek(1);
		}
		return array_map(fn ($r) => [$r->accepted, $r->reason->value, $r->remaining, $r->retryAfter, $r->resetAfter], $facts);');
	$before = $facts();
	same(7, count(array_filter($before, fn ($fact) => !$fact[0])), 'all of them are refused');
	$clock->step_wall($step);
	foreach ($facts() as $name => $fact) {
		same($before[$name], $fact, "$name, the wall clock set by $step us");
	}

	/* And each ends when it would have ended. */
	$clock->advance(599_999_000);
	foreach ($facts() as $name => $fact) {
		same($name === 'Limiter bucket', $fact[0], "$name, a millisecond before");
	}
	/* The sliding window may refuse for one of its 30 parts longer. */
	$clock->advance(1_000);
	foreach ($facts() as $name => $fact) {
		same($name !== 'Limiter window', $fact[0], "$name, at the end");
	}
	$clock->advance(20_000_000);
	same(true, $facts()['Limiter window'][0], 'the sliding window, a part later');
	$php->end();
}
done();
?>
--EXPECT--
done
