--TEST--
Web servers with different clocks share one limit on Redis: its clock decides
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_tool('simclock.so');
needs_stopped_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/simclock.inc';
foreach ([1_000, 120_000_000, 3_600_000_000] as $skew) {
	$now = 1_900_000_000_000_000;
	$clock = new SimClock($now);
	$redis = $clock->redis();
	$clocks = [new SimClock($now - $skew), new SimClock($now + $skew)];
	$servers = array_map(fn ($own) => new SimPhp($own, ['ratelimit.store' => $redis->dsn('?deny_cache=0'), 'ratelimit.on_failure' => 'throw', 'date.timezone' => 'UTC']), $clocks);
	foreach ($servers as $server) {
		$server('
			use FrequencyLimit\{Limit, Limiter};
			$GLOBALS["asked"] = [
				"doHandle" => fn () => FrequencyLimit::check("a", 1, 10, 5),
				"fixed" => fn () => (new Limiter("fixed", Limit::fixedWindow(5, 10)))->consume(1),
				"log" => fn () => (new Limiter("log", Limit::slidingLog(5, 10)))->consume(1),
				"window" => fn () => (new Limiter("window", Limit::slidingWindow(5, 10)))->consume(1),
				"bucket" => fn () => (new Limiter("bucket", Limit::tokenBucket(5, 50)))->consume(1),
			];');
	}
	$pass = function (int $us) use ($clock, $clocks): void {
		foreach ([$clock, ...$clocks] as $one) {
			$one->advance($us);
		}
	};
	/* Turn by turn: [how many passed, the last answer's retryAfter]. */
	$round = function (string $name) use ($servers): array {
		$passed = 0;
		for ($i = 0; $i < 8; $i++) {
			[$accepted, $retry, $store] = $servers[$i % 2]("\$r = \$GLOBALS['asked']['$name'](); return [\$r->accepted, \$r->retryAfter, \$r->store];");
			$passed += (int) $accepted;
			same('redis', $store, "$name: who decides");
		}
		return [$passed, $retry];
	};

	foreach (['doHandle', 'fixed', 'log', 'bucket'] as $name) {
		same([5, 10.0], $round($name), "$name, clocks off by $skew us");
	}
	[$passed, $wait] = $round('window');
	same(5, $passed, "window, clocks off by $skew us");
	between(10.0, $wait, 10.0 + 10 / 30 + 0.001, "window, clocks off by $skew us: retryAfter");

	/* The counter ends with its key, which exists through its last millisecond. */
	$pass(9_999_999);
	foreach (['doHandle', 'fixed', 'log', 'bucket'] as $name) {
		same(0, $round($name)[0], "$name, clocks off by $skew us, a microsecond before the end");
	}
	$pass(1);
	foreach (['fixed' => 5, 'log' => 5, 'bucket' => 1] as $name => $number) {
		same($number, $round($name)[0], "$name, clocks off by $skew us, at the end");
	}
	$pass(1_000);
	same(5, $round('doHandle')[0], "doHandle, clocks off by $skew us, a millisecond after the end");
	$pass((int) round($wait * 1e6) - 10_001_000);
	same(5, $round('window')[0], "window, clocks off by $skew us, after its retryAfter");

	array_map(fn ($server) => $server->end(), $servers);
	$redis->stop();
}
done();
?>
--EXPECT--
done
