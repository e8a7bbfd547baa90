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

/* 240,000 bans of invented identities in a segment of the default size, beside limiters that go on deciding. */
foreach (['a limit' => '->ban(3600)', 'escalating' => '->ban([600, 3600], forget: 86400)'] as $what => $ban) {
	foreach (['' => '', ', two limits' => ', Limit::fixedWindow(9, 86400)'] as $more => $limit) {
		[$exit, $said] = run_php('require "' . __DIR__ . '/../include/assert.inc"; use FrequencyLimit\{Clock, Limit, Limiter, Monitor};
			Clock::freeze(1_900_000_000);
			$login = new Limiter("login", [Limit::fixedWindow(1, 60)' . $ban . $limit . ']);
			$api = new Limiter("api", ["requests" => Limit::fixedWindow(1_000_000, 86400), "tokens" => Limit::slidingLog(4, 86400)]);
			$words = new Limiter("words", Limit::tokenBucket(4, 86400));
			for ($i = 1; $i <= 240_000; $i++) {
				$login->consume($i);
				$login->consume($i);
				Clock::advance(0.001);
				if ($i % 240 === 0) {
					$turn = intdiv($i, 240);
					ok($api->consume($turn % 250)->accepted && $words->consume($turn % 250)->accepted, "call $turn of the others");
				}
			}
			for ($i = $lost = 0; $i < 250; $i++) {
				$lost += (int) ($api->consume($i)->accepted || $words->peek($i)->remaining > 0);
			}
			same(0, $lost, "counts of the others that are lost");
			[$first, $last] = array_map(fn (int $from) => count(array_filter(range($from, $from + 999), fn (int $i) => $login->peek($i)->level > 0 || !$login->peek($i)->accepted)), [1, 239_001]);
			$stats = Monitor::stats();
			same(0, $stats["errors"], "errors");
			same($stats["bans_evicted"], $stats["evictions"], "only bans make room for bans");
			ok(' . ($limit === '' ? '$stats["bans_evicted"] === 0 && $first === 1000' : '$stats["bans_evicted"] > 100_000 && $first < 500') . ', "of the first 1000, $first are banned; $stats[bans_evicted] made room");
			same(1000, $last, "of the last 1000 are banned");', ['ratelimit.testing' => '1', 'ratelimit.shm_size' => '32M', 'ratelimit.on_failure' => 'throw']);
		same([0, ''], [$exit, trim($said)], "240,000 bans by $what$more");
	}
}
done();
?>
--EXPECT--
done
