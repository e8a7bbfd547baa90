--TEST--
Objects of one limiter of the file share what the worker keeps of it, and each call has its own cost and time zone
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
date.timezone=UTC
--FILE--
<?php
require __DIR__ . '/named.inc';
use FrequencyLimit\{Clock, Limiter, Result};

Clock::freeze(1_900_000_000.0); /* 2030-03-17 17:46:40 UTC */
limiters_file("[api]\nhour = fixed:100/1h\n[daily]\nday = calendar:10/day\n[places]\nplace = concurrent:2/1m\n");

$first = Limiter::named('api');
$second = Limiter::named('api');
ok($first == $second && $first !== $second, 'two objects, which are equal');
same([97, 92], [$first->consume('a', 3)->remaining, $second->consume('a', 5)->remaining], 'each call has its own cost');
same(['api', 1], [$first->name, count($second->limits)], 'the properties are those of an object');

/* A call within a call of the same limiter. */
$seen = [];
FrequencyLimit\Monitor::listen(function (string $name, int|string $id, Result $result) use (&$seen): void {
	$seen[] = [$id, $result->remaining];
	if ($id === 'outer') {
		Limiter::named('api')->consume('inner', 7);
	}
});
same([90, 10], [($outer = Limiter::named('api')->consume('outer', 10))->remaining, $outer->granted], 'the outer call');
FrequencyLimit\Monitor::listen(null);
same([['outer', 90]], $seen, 'the listener sees the outer call');
same(92, Limiter::named('api')->consume('inner')->remaining, 'the inner call had its own cost');

/* The default time zone belongs to the request, not to the worker. */
$ends = [];
foreach (['UTC', 'Asia/Tokyo', 'America/New_York', 'asia/tokyo', 'UTC'] as $zone) {
	date_default_timezone_set($zone);
	$ends[] = (int) Limiter::named('daily')->consume("in $zone")->resetAfter;
}
same([22400, 76400, 36800, 76400, 22400], $ends, 'the day ends at midnight of the default time zone');

/* A limiter outlives its section: permits and objects keep it. */
$places = Limiter::named('places');
$permit = $places->acquire('p');
$before = Limiter::named('api');
limiters_file("[api]\nhour = fixed:5/1h\n");
same(4, Limiter::named('api')->consume('new')->remaining, 'the changed file');
same(99, $before->consume('old')->remaining, 'an object of the version before');
unset($places);
ok($permit->release(), 'a permit of a section that is gone');
throws(FrequencyLimit\InvalidArgument::class, ['"places" given'], static fn () => Limiter::named('places'), 'the section is gone');
done();
?>
--EXPECT--
done
