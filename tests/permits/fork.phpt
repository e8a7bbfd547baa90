--TEST--
After a fork the parent alone has its permits; the child's methods are false or null, and its end frees nothing
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter};

test_store('real');
$limiter = new Limiter('fork', ['places' => Limit::concurrent(4, 600), 'rate' => Limit::fixedWindow(100, 600)]);
$line = new Limiter('line', Limit::fixedWindow(1, 600));
$permit = $limiter->acquire('x', 2);
$other = $limiter->acquire('x');
$first = $line->acquire('x');
$second = $line->acquire('x', maxWait: 1200);
$answers = in_processes(2, function (int $i) use ($limiter, $permit, &$other, &$second) {
	$methods = [$permit->wait(), $permit->renew(), $permit->release(), $permit->settle(0), $permit->cancel()];
	$other = $second = null; /* the end of the object */
	$mine = $limiter->acquire("y$i", 3);
	return [$methods, $permit->result->granted, $mine->result->accepted, $mine->release(), $mine->release()];
});
same([[[false, false, false, null, false], 2, true, true, false]], array_values(array_unique($answers, SORT_REGULAR)), 'the children');
same([0, 96], [$limiter->peek('x')->remaining, (new Limiter('fork', Limit::fixedWindow(100, 600)))->peek('x')->remaining], 'nothing was freed');
same([true, true, 3], [$permit->renew(), $permit->release(), $limiter->acquire('x', 3)->result->granted], 'the parent ends it');
ok($line->acquire('x', maxWait: 3000)->result->wait > 1000, 'the turn of the parent was not cancelled');

/* Numbers differ in parent and children: each frees its own place. */
$held = $limiter->acquire('z');
in_processes(3, fn () => $limiter->acquire('z')->release());
same([false, true], [$limiter->acquire('z', 4)->result->accepted, $limiter->acquire('z', 3)->result->accepted], 'the place of the parent is still held');
done();
?>
--EXPECT--
done
