--TEST--
Constructed limiters with the same name and limit share what the worker keeps; no other limiter ever answers for them
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
date.timezone=UTC
--FILE--
<?php
require __DIR__ . '/named.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Period, Result};

Clock::freeze(1_900_000_000.0); /* 2030-03-17 17:46:40 UTC */

/* The worker keeps a limiter that is made a second time. */
$make = static fn (int $limit = 100): Limiter => new Limiter('api', Limit::fixedWindow($limit, 3600));
$remaining = [];
for ($i = 0; $i < 5; ++$i) {
	$remaining[] = $make()->consume('a', 3)->remaining;
}
same([97, 94, 91, 88, 85], $remaining, 'one count');
[$first, $second] = [$make(), $make()];
ok($first == $second && $first !== $second, 'two objects, which are equal');
same([82, 77], [$first->consume('a', 3)->remaining, $second->consume('a', 5)->remaining], 'each call has its own cost');
same(['api', 1, 100, null], [$first->name, count($second->limits), $second->limits[0]->limit, $second->store], 'the properties');
same('api', (string) (new ReflectionProperty($first, 'name'))->getValue($first), 'a property by reflection');

/* Its name is the application's own string, also when the worker no longer keeps the limiter. */
for ($i = 0; $i < 3; $i++) {
	$name = (new Limiter(implode('-', ['a', 'long', str_repeat('name', 10)]), Limit::fixedWindow(100, 3600)))->name;
}
for ($i = 0; $i < 1200; $i++) {
	new Limiter('other ' . intdiv($i, 3), Limit::fixedWindow(100, 3600));
}
$name .= str_repeat('y', 3000);
same(['a-long-', 3047], [substr($name, 0, 7), strlen($name)], 'a name that grows');

/* Whatever differs is another limiter. */
$others = [
	'a number' => fn () => new Limiter('api', Limit::fixedWindow(50, 3600)),
	'a period' => fn () => new Limiter('api', Limit::fixedWindow(100, 60)),
	'an algorithm' => fn () => new Limiter('api', Limit::slidingLog(100, 3600)),
	'a bucket' => fn () => new Limiter('api', Limit::tokenBucket(100, 3600)),
	'its burst' => fn () => new Limiter('api', Limit::tokenBucket(100, 3600, 7)),
	'a name' => fn () => new Limiter('web', Limit::fixedWindow(100, 3600)),
	'the name of the limit' => fn () => new Limiter('api', Limit::fixedWindow(100, 3600)->named('hour')),
	'a ban' => fn () => new Limiter('api', Limit::fixedWindow(100, 3600)->ban(60)),
	'a store' => fn () => new Limiter('api', Limit::fixedWindow(100, 3600), 'shm:'),
	'a shadow' => fn () => new Limiter('api', Limit::fixedWindow(100, 3600)->shadow()),
	'a label' => fn () => new Limiter('api', Limit::fixedWindow(100, 3600)->by('user')),
	'a month' => fn () => new Limiter('api', Limit::calendar(100, Period::Month, 'UTC')),
	'a day' => fn () => new Limiter('api', Limit::calendar(100, Period::Day, 'UTC')),
	'a day elsewhere' => fn () => new Limiter('api', Limit::calendar(100, Period::Day, 'Asia/Tokyo')),
	'places' => fn () => new Limiter('api', Limit::concurrent(100, 3600)),
	'no limit' => fn () => new Limiter('api', Limit::none()),
];
$texts = [];
foreach ([1, 2, 3] as $round) {
	foreach ($others as $difference => $other) {
		$texts[$difference][] = var_export($other(), true);
	}
}
$all = [var_export($make(), true)];
foreach ($texts as $difference => $same) {
	same([$same[0]], array_values(array_unique($same)), "$difference: the same each time");
	$all[] = $same[0];
}
same(count($all), count(array_unique($all)), 'all are different');
same(76, $make()->consume('a')->remaining, 'the first one still counts');

/* Each has its own end of the day, also in the next one. */
foreach ([0, 1] as $day) {
	foreach (['UTC' => 22_400, 'Asia/Tokyo' => 76_400, 'America/New_York' => 36_800] as $zone => $left) {
		foreach ([1, 2, 3] as $i) {
			$result = (new Limiter('daily', Limit::calendar(10, Period::Day, $zone)))->consume("$zone $day");
			same([10 - $i, (float) $left], [$result->remaining, $result->resetAfter], "$zone, day $day, call $i");
		}
	}
	Clock::advance(86_400);
}

/* Without a zone the limit has the default one of the moment. */
$ends = [];
foreach (['UTC', 'Asia/Tokyo', 'UTC', 'Asia/Tokyo', 'UTC', 'Asia/Tokyo'] as $zone) {
	date_default_timezone_set($zone);
	$ends[] = (int) (new Limiter('local', Limit::calendar(10, Period::Day)))->consume("in $zone")->resetAfter;
}
same([22400, 76400, 22400, 76400, 22400, 76400], $ends, 'the day ends at midnight of the default time zone');

/* A call within a call of the same limiter. */
$seen = [];
FrequencyLimit\Monitor::listen(function (string $name, int|string $id, Result $result) use (&$seen, $make): void {
	$seen[] = [$id, $result->remaining];
	if ($id === 'outer') {
		$make()->consume('inner', 7);
	}
});
same([90, 10], [($outer = $make()->consume('outer', 10))->remaining, $outer->granted], 'the outer call');
FrequencyLimit\Monitor::listen(null);
same([['outer', 90]], $seen, 'the listener sees the outer call');
same(92, $make()->consume('inner')->remaining, 'the inner call had its own cost');

/* More limiters than the worker keeps, with objects that outlive their places. */
$objects = [];
for ($round = 0; $round < 3; ++$round) {
	for ($i = 0; $i < 200; ++$i) {
		$objects[$round][$i] = new Limiter("limiter $i", Limit::fixedWindow(1000 + $i, 3600));
	}
}
$wrong = [];
foreach ($objects as $round => $made) {
	foreach ($made as $i => $limiter) {
		if ($limiter->name !== "limiter $i" || $limiter->consume('x')->remaining !== 999 + $i - $round) {
			$wrong[] = [$round, $i];
		}
	}
}
same([], $wrong, 'each object has its own limiter');

/* A wrong name is refused each time. */
for ($i = 0; $i < 3; ++$i) {
	throws(FrequencyLimit\InvalidArgument::class, ['$name'], static fn () => new Limiter('', Limit::fixedWindow(1, 1)), "an empty name, time $i");
	throws(FrequencyLimit\InvalidArgument::class, ['$name'], static fn () => new Limiter(str_repeat('x', 4096), Limit::fixedWindow(1, 1)), "a long name, time $i");
}
throws(Error::class, ['twice'], static fn () => $first->__construct('api', Limit::fixedWindow(100, 3600)), 'constructed twice');
same(99, $first->consume('a')->remaining, 'the object is as it was, in a new window');
done();
?>
--EXPECT--
done
