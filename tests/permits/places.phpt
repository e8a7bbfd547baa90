--TEST--
A concurrent limit never has more places than its number; renew() keeps a place, and revives none
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter};

$store = test_store('embedded');
$limiter = new Limiter('places', Limit::concurrent(2, 60));
$one = $limiter->acquire('x');
$store->advance(59);
same(true, $one->renew(), 'renew() before the end');
$store->advance(59);
same([1, true], [$limiter->peek('x')->remaining + 1, $one->renew(0.5)], 'it is held for its seconds anew');
$store->advance(0.499);
same(1, $limiter->peek('x')->remaining + 1, 'a shorter time, one millisecond before its end');
$store->advance(0.001);
same([2, false], [$limiter->peek('x')->remaining + 1, $one->renew()], 'it is over, and not revived');
$two = $limiter->acquire('x', 2);
same([true, false, false], [$two->result->accepted, $one->release(), $one->release()], 'the late release frees nothing');
same(false, $limiter->acquire('x')->result->accepted, 'of the next holder');
same([true, 2], [$two->release(), $limiter->acquire('x', 2)->result->granted], 'which frees its own');

/* With a rate in one decision: both or none. */
$both = new Limiter('both', ['places' => Limit::concurrent(1, 60), 'rate' => Limit::fixedWindow(3, 60)]);
$rate = fn () => (new Limiter('both', Limit::fixedWindow(3, 60)))->peek('x')->remaining + 1;
$held = $both->acquire('x');
same(['places', false], [($r = $both->acquire('x')->result)->name, $r->accepted], 'no place');
same(2, $rate(), 'the rate has counted one');
$held->cancel();
same([3, 1], [$rate(), $both->peek('x')->remaining + 1], 'cancel() gives both back');
foreach ([1, 2, 3] as $i) {
	same(true, $both->acquire('x')->release(), "call $i");
}
same(['rate', false], [($r = $both->acquire('x')->result)->name, $r->accepted], 'the rate is used up');
$limiter = new Limiter('forget', Limit::concurrent(1, 60));
$held = $limiter->acquire('x');
same([true, true, false], [$limiter->reset('x'), $limiter->acquire('x')->release(), $held->release()], 'reset() takes the places away');

/* Waiting for a place: a frozen clock moves on instead. */
$held = $limiter->acquire('x');
$before = $store->now();
$late = $limiter->acquire('x', maxWait: 5);
same([false, false], [$late->result->accepted, $held->release() === false], 'no place came free in time');
$held = $limiter->acquire('x');
same(true, $limiter->acquire('x', maxWait: 61)->result->accepted, 'its seconds end during the wait');
FrequencyLimit\Clock::unfreeze();

/* Processes that come and go: never more than three at a time. */
$folder = temp_folder();
$limiter = new Limiter('crowd', Limit::concurrent(3, 600));
$most = in_processes(6, function (int $i) use ($limiter, $folder) {
	$most = 0;
	for ($n = 0; $n < 200; $n++) {
		$permit = $limiter->acquire('x', maxWait: 60);
		touch("$folder/$i");
		$most = max($most, count(scandir($folder)) - 2);
		unlink("$folder/$i");
		ok($permit->result->accepted && $permit->release(), 'each gets a place in time');
	}
	return $most;
});
between(1, max($most), 3, 'at once');
done();
?>
--EXPECT--
done
