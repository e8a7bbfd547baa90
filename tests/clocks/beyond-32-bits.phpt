--TEST--
Windows, bans and calendars hold across the ends of 32-bit time in 2038 and 2106 (embedded store)
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
foreach ([2 ** 31, 2 ** 32] as $edge) {
	/* Two seconds before. */
	$clock = new SimClock(($edge - 2) * 1_000_000);
	$php = new SimPhp($clock, ['date.timezone' => 'UTC']);
	$php('
		use FrequencyLimit\{Limit, Limiter, Period};
		$GLOBALS["limiter"] = new Limiter("l", [Limit::fixedWindow(2, 4), Limit::slidingLog(2, 4), Limit::calendar(100, Period::Day)]);
		$GLOBALS["both"] = fn () => [FrequencyLimit::doHandle("a", 1, 4, 2), $GLOBALS["limiter"]->consume(1)->accepted,
			FrequencyLimit::doHandle("ban", 1, 1, 2, ["type" => 2, "ttl" => ' . ($edge + 2) . '])];');
	$both = fn () => $php('return $GLOBALS["both"]();');
	same([true, true, true], $both(), "$edge - 2: first");
	same([true, true, true], $both(), "$edge - 2: second");
	same([false, false, false], $both(), "$edge - 2: third");
	foreach ([1_000_000, 999_999, 1, 1, 1_999_998] as $us) {
		$clock->advance($us);
		same([false, false, false], $both(), "$edge: at " . $clock->wall_us());
	}
	$clock->advance(1);
	same([true, true, true], $both(), "$edge + 2");
	$php->end();
}
done();
?>
--EXPECT--
done
