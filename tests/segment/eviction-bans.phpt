--TEST--
Bans of more invented identities than there is room for stop no other limiter, and take no count's room
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

/** The flood: each identity uses its limits up, and one call more begins its ban. */
$floods = [
	'doHandle()' => 'fn (int $i) => array_map(fn () => FrequencyLimit::doHandle("login", $i, 60, 1, ["type" => 1, "ttl" => 3600]), [1, 2])',
	'a limit' => 'limiter(Limit::fixedWindow(1, 60)->ban(3600))',
	'a log' => 'limiter(Limit::slidingLog(1, 60)->ban(3600))',
	'escalating' => 'limiter(Limit::fixedWindow(1, 60)->ban([600, 3600], forget: 86400))',
	'two limits' => 'limiter([Limit::fixedWindow(1, 60)->ban(3600), Limit::fixedWindow(10, 86400)])',
	'by hand' => '(function () { $l = new Limiter("login", Limit::fixedWindow(1, 60)); return fn (int $i) => $l->ban($i, 3600); })()',
];
foreach ($floods as $what => $flood) {
	[$exit, $said] = run_php('require "' . __DIR__ . '/../include/assert.inc"; use FrequencyLimit\{Clock, Limit, Limiter, Monitor};
		function limiter(Limit|array $limits): Closure
		{
			$login = new Limiter("login", $limits);
			return fn (int $i) => [$login->consume($i), $login->consume($i)];
		}
		Clock::freeze(1_900_000_000);
		$flood = ' . $flood . ';
		$slots = Monitor::stats()["slots"];
		$window = new Limiter("window", Limit::slidingWindow(2, 3600));
		for ($i = 0; $i < 200; $i++) {
			$window->consume("full $i", 2);
		}
		for ($i = 1; $i <= 2 * $slots; $i++) {
			$flood($i);
			Clock::advance(0.001);
			if ($i % 500 === 0) {
				ok($window->consume("other $i")->accepted, "a window after $i bans");
				ok(FrequencyLimit::doHandle("other", $i, 60, 1), "a counter after $i bans");
			}
		}
		$log = new Limiter("log", Limit::slidingLog(100, 3600));
		$large = new Limiter("large", Limit::slidingLog(9000, 3600));
		for ($i = 0; $i < 20; $i++) {
			ok($log->consume($i, 100)->accepted, "log $i");
			ok(!$log->consume($i)->accepted, "log $i is used up");
		}
		ok($large->consume("all", 9000)->accepted, "a large state");
		for ($i = $freed = 0; $i < 200; $i++) {
			$freed += (int) $window->peek("full $i")->accepted;
		}
		$stats = Monitor::stats();
		ok($freed <= 10, "$freed of 200 used-up limits are forgotten");
		ok($stats["bans_evicted"] > $slots / 4 && $stats["bans_evicted"] <= $stats["evictions"], "$stats[bans_evicted] bans made room");
		same(0, $stats["errors"], "errors");', ['ratelimit.testing' => '1', 'ratelimit.shm_size' => '1M', 'ratelimit.on_failure' => 'throw']);
	same([0, ''], [$exit, trim($said)], $what);
}
done();
?>
--EXPECT--
done
