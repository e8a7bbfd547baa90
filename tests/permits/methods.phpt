--TEST--
Each end of a permit gives back exactly what it promises; a second end is false
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
use FrequencyLimit\{Limit, Limiter, Period, Reason};

/** All algorithms, each with room for 10. @return array<string, Limit|Limit[]> */
function limits_of_ten(): array
{
	return [
		'fixed' => Limit::fixedWindow(10, 600),
		'calendar' => Limit::calendar(10, Period::Month, 'UTC'),
		'log' => Limit::slidingLog(10, 600),
		'sliding' => Limit::slidingWindow(10, 600),
		'bucket' => Limit::tokenBucket(10, 600),
		'two' => [Limit::fixedWindow(10, 600), Limit::slidingLog(12, 600)],
		'with places' => [Limit::concurrent(20, 600), Limit::fixedWindow(10, 600)],
	];
}

function scenario(TestStore $store): void
{
	foreach (limits_of_ten() as $name => $limits) {
		$limiter = new Limiter("methods $name", $limits);
		$left = fn () => $limiter->peek('x')->remaining + 1;

		$permit = $limiter->acquire('x', 4);
		$r = $permit->result;
		same([true, Reason::Accepted, 10, 6, 0.0, $store->name(), 4, 0.0],
			[$r->accepted, $r->reason, $r->limit, $r->remaining, $r->retryAfter, $r->store, $r->granted, $r->wait], "$name: the result");
		same(true, $permit->wait(), "$name: its turn is now");
		same(true, $permit->release(), "$name: release()");
		same(6, $left(), "$name: release() gives nothing back");

		/* Less, the same and more than was charged. */
		$less = $limiter->acquire('x', 3)->settle(1);
		same([true, 10, 5, 1, 0.0], [$less->accepted, $less->limit, $less->remaining, $less->granted, $less->wait], "$name: settle() with less");
		same(3, $limiter->acquire('x', 2)->settle(2)->remaining, "$name: settle() with the same");
		$debt = $limiter->acquire('x', 2)->settle(5);
		same([true, 0, 5], [$debt->accepted, $debt->remaining, $debt->granted], "$name: settle() with more");
		same([false, Reason::Limited], [($r = $limiter->acquire('x')->result)->accepted, $r->reason], "$name: the debt refuses");

		/* As if it had never been. */
		$limiter->reset('y');
		$two = $limiter->acquire('y', 2);
		$permit = $limiter->acquire('y', 7);
		same(true, $permit->cancel(), "$name: cancel()");
		same(8, $limiter->peek('y')->remaining + 1, "$name: cancel() gives all of it back");
		same(true, $limiter->acquire('y', 8)->settle(0) !== null, "$name: settle(0)");
		same(8, $limiter->peek('y')->remaining + 1, "$name: settle(0), too");

		/* A refused one holds nothing. */
		$refused = $limiter->acquire('y', 9);
		same([false, 0, 0.0], [$refused->result->accepted, $refused->result->granted, $refused->result->wait], "$name: refused");
		same([false, false, null, false, false], [$refused->wait(), $refused->release(), $refused->settle(1), $refused->cancel(), $refused->renew()],
			"$name: each method of a refused permit is false");
		same(8, $limiter->peek('y')->remaining + 1, "$name: and changes nothing");
	}

	/* Whatever comes second is false and changes nothing. */
	$limiter = new Limiter('orders', ['places' => Limit::concurrent(10, 600), 'rate' => Limit::fixedWindow(100, 600)]);
	$calls = [
		'release' => fn ($permit) => $permit->release(),
		'settle' => fn ($permit) => $permit->settle(2) !== null,
		'settle more' => fn ($permit) => $permit->settle(7) !== null,
		'cancel' => fn ($permit) => $permit->cancel(),
		'renew' => fn ($permit) => $permit->renew(),
		'wait' => fn ($permit) => $permit->wait(),
	];
	foreach ($calls as $first => $one) {
		foreach ($calls as $second => $two) {
			$id = "$first $second";
			$permit = $limiter->acquire($id, 5);
			same(true, $one($permit), "$first first");
			$charged = 100 - counted($limiter, $id);
			same(in_array($first, ['renew', 'wait'], true), $two($permit), "$second after $first");
			if (!in_array($first, ['renew', 'wait'], true)) {
				same($charged, 100 - counted($limiter, $id), "$second after $first changes nothing");
				same(['release' => 95, 'settle' => 98, 'settle more' => 93, 'cancel' => 100][$first], 100 - $charged, "$first: what is left of the rate");
			}
			unset($permit);
			same(10, $limiter->acquire($id, 10)->result->granted, "$first $second: all places are free again");
		}
	}
}

/** Returns what the rate limit of "orders" has left; its places are freed before. */
function counted(Limiter $limiter, string $id): int
{
	return (new Limiter('orders', Limit::fixedWindow(100, 600)))->peek($id)->remaining + 1;
}

scenario(each_store());
done();
?>
--EXPECT--
done
