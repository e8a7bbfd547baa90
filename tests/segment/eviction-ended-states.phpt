--TEST--
Ended states and bans make room for states of any size; a failed allocation evicts nothing
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

/** Runs each scenario in a segment of its own. */
$in_fresh_segment = function (string $scenario): void {
	[$exit, $said] = run_php('require "' . __DIR__ . '/../include/assert.inc"; use FrequencyLimit\{Clock, Limit, Limiter, StoreException};
		Clock::freeze(1_900_000_000);
		$evictions = fn () => FrequencyLimit\Monitor::stats()["evictions"];
		$is_full = function () { $stats = FrequencyLimit\Monitor::stats(); return $stats["records_used"] === $stats["records"]; };
		' . $scenario, ['ratelimit.testing' => '1', 'ratelimit.shm_size' => '1M', 'ratelimit.on_failure' => 'throw']);
	same([0, ''], [$exit, trim($said)], 'a scenario');
};

/* Sliding windows of a second have all the room, and end; then come states of two fixed windows, which are smaller. (One fixed window has no record.) */
$in_fresh_segment(<<<'PHP'
	$old = new Limiter("old", Limit::slidingWindow(5, 1));
	for ($n = 0; !$is_full() || $n % 1000; $n++) {
		$old->consume($n);
	}
	Clock::advance(3);
	$before = $evictions();
	$new = new Limiter("new", [Limit::fixedWindow(1, 3600), Limit::fixedWindow(1, 86400)]);
	for ($i = 0; $i < 2400; $i++) {
		ok($new->consume($i)->accepted, "newcomer $i");
	}
	for ($i = $again = 0; $i < 2400; $i++) {
		$again += (int) $new->peek($i)->accepted;
	}
	same([0, 0], [$again, $evictions() - $before], "forgotten, and evicted");
	PHP);

/* Bans of 10 ms have all the room that bans can have; after their end their states can be evicted. */
$in_fresh_segment(<<<'PHP'
	$bans = new Limiter("bans", [Limit::fixedWindow(2, 1)->ban(0.01), Limit::fixedWindow(1000, 86400)]);
	for ($i = 0; $i < 20000; $i++) {
		foreach (range(1, 3) as $call) {
			$bans->consume($i);
		}
	}
	ok(FrequencyLimit\Monitor::stats()["bans_evicted"] > 0, "bans make room for bans");
	Clock::advance(1);
	$new = new Limiter("new", Limit::fixedWindow(5, 3600));
	for ($i = 0; $i < 100; $i++) {
		same(true, $new->consume("n$i")->accepted, "newcomer $i");
	}
	PHP);

/* Small states have all the room, and every page has bans: larger states find room, and every ban stays. */
$in_fresh_segment(<<<'PHP'
	$small = new Limiter("small", [Limit::fixedWindow(5, 3600), Limit::fixedWindow(5, 86400)]);
	for ($n = 0; $evictions() === 0; $n++) {
		$n % 50 ? $small->consume($n) : $small->ban($n, 3600);
	}
	$large = new Limiter("large", Limit::slidingWindow(5, 3600));
	for ($i = 0; $i < 10; $i++) {
		ok($large->consume($i)->accepted, "a larger one");
	}
	$log = new Limiter("log", Limit::slidingLog(9000, 3600));
	ok($log->consume("all", 9000)->accepted, "a large one");
	for ($i = $freed = 0; $i < $n; $i += 50) {
		$freed += (int) $small->peek($i)->accepted;
	}
	same(0, $freed, "bans given up");
	PHP);

/* Who gave something back, or was banned and forgiven, has used no less for that: it is not the first to go. */
foreach (['credit("v$i", 1)', 'ban("v$i", 60); $few->unban("v$i")'] as $call) {
	$in_fresh_segment('
		$few = new Limiter("few", Limit::fixedWindow(1000, 3600));
		for ($i = 0; $i < 50; $i++) {
			$few->consume("v$i", 999);
			$few->' . $call . ';
		}
		for ($i = 0; $evictions() <= 100 && $i < 100000; $i++) {
			$few->consume($i, 2);
		}
		ok($evictions() > 100, "the others crowd");
		for ($i = $lost = 0; $i < 50; $i++) {
			$lost += (int) ($few->peek("v$i")->remaining > 2);
		}
		same(0, $lost, "lost");');
}
done();
?>
--EXPECT--
done
