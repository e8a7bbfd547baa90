--TEST--
Limit and Limiter have readable properties and compare by value; a Limit survives var_export() and serialize()
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Period;
date_default_timezone_set('UTC');

/* The properties. */
$expected = ['algorithm' => 'log', 'limit' => 5, 'seconds' => 0.5, 'period' => null, 'timezone' => null, 'rate' => null, 'ban' => 3600, 'forget' => null, 'leased' => false, 'shadow' => false, 'unit' => null, 'by' => null, 'name' => 'account'];
$log = Limit::slidingLog(5, 0.5)->ban(3600)->named('account');
same($expected, get_object_vars($log), 'a log');
same($expected, json_decode(json_encode($log), true), 'as JSON');
same('account', $log->name, 'one property');
ok(isset($log->ban) && !isset($log->rate) && !isset($log->nothing), 'isset()');
foreach ([
	'calendar:3/day@Asia/Tokyo,ban=month' => ['algorithm' => 'calendar', 'seconds' => null, 'period' => Period::Day, 'timezone' => 'Asia/Tokyo', 'ban' => Period::Month],
	'bucket:10/1s,burst=50' => ['algorithm' => 'bucket', 'limit' => 50, 'rate' => 10, 'seconds' => 1],
	'fixed:9/1m,ban=@1700000000' => ['timezone' => null, 'forget' => null],
	'fixed:9/1m,ban=hour@Asia/Tokyo' => ['ban' => Period::Hour, 'timezone' => 'Asia/Tokyo'],
	'fixed:9/1m,lease' => ['leased' => true],
	'fixed:9/1m,unit=tokens,name=n' => ['unit' => 'tokens', 'name' => 'n'],
	'fixed:9/1m,bans=1m+10m+90m,forget=1w' => ['ban' => [60, 600, 5400], 'forget' => 604800],
	'concurrent:2/10m' => ['algorithm' => 'concurrent', 'limit' => 2, 'seconds' => 600],
] as $text => $properties) {
	$limit = Limit::parse($text);
	foreach ($properties as $name => $value) {
		same($value, $limit->$name, "$text: $name");
	}
	$copy = unserialize(serialize($limit));
	ok($copy == $limit && $copy !== $limit && eval('return ' . var_export($limit, true) . ';') == $limit && clone $limit == $limit, "$text: copies");
	ok(str_contains(serialize($limit), "\"$text\""), "$text: serialized by its text");
}
/* Limit::none() in a limiter. */
$names = fn (Limiter $limiter): array => array_map(strval(...), $limiter->limits);
$none = new Limiter('a', ['free' => Limit::none(), Limit::none()->by('tenant')]);
same(['none,name=free', 'none,by=tenant'], $names($none), 'none alone');
same(['none'], $names(new Limiter('a', Limit::none())), 'one none');
same(['fixed:9/1m,name=n', 'none,name=free'], $names(new Limiter('a', ['free' => Limit::none(), 'n' => Limit::fixedWindow(9, 60)])), 'none beside another limit');
same(['fixed:9/1m,shadow', 'none,name=free'], $names(new Limiter('a', ['free' => Limit::none(), Limit::fixedWindow(9, 60)->shadow()])), 'none beside a shadow');
same(['free', 'none', 1000000000000], [$none->limits[0]->name, $none->limits[0]->algorithm, $none->limits[0]->limit], 'its properties');
ok(new Limiter('a', $none->limits) == $none && eval('return ' . var_export($none->limits[0], true) . ';') == $none->limits[0], 'a limiter of the limits of a limiter');
ok(new Limiter('a', Limit::none()) != $none && new Limiter('a', [Limit::fixedWindow(9, 60)]) != new Limiter('a', [Limit::fixedWindow(9, 60), Limit::none()]), 'another none');
/* A moment is a DateTimeImmutable in UTC; a number is a duration. The property of a limit is an argument of its ban(). */
$moment = Limit::parse('fixed:9/1m,ban=@1700000000.25');
same([DateTimeImmutable::class, '2023-11-14 22:13:20.250000 UTC'], [$moment->ban::class, $moment->ban->format('Y-m-d H:i:s.u e')], 'a moment');
foreach ([$moment, Limit::parse('fixed:9/1m,bans=1m+10m,forget=1w'), Limit::parse('fixed:9/1m,ban=day@UTC'), Limit::parse('fixed:9/1m,ban=250ms')] as $limit) {
	ok(Limit::fixedWindow(9, 60)->ban($limit->ban, $limit->forget) == $limit, "the same ban: $limit");
}
/* A copy that a with-method changes has properties of its own. */
same([3600, 60, 3600], [$log->ban, $log->ban(60)->ban, $log->ban], 'a changed copy');
throws(Error::class, ['readonly property FrequencyLimit\Limit::$limit'], function () use ($log) { $log->limit = 6; }, 'a write');
throws(Error::class, ['readonly property FrequencyLimit\Limit::$limit'], function () { $limit = Limit::slidingLog(5, 60); $limit->limit = 6; }, 'a write before any read');
throws(Error::class, ['readonly property FrequencyLimit\Limit::$limit'], function () { $limit = Limit::slidingLog(5, 60); unset($limit->limit); }, 'an unset()');
throws(Error::class, [], function () { $limit = Limit::slidingLog(5, 60); $limit->more = 6; }, 'another property');

/* Limiters. */
$limiter = new Limiter('login', ['minute' => Limit::slidingLog(5, 60), Limit::fixedWindow(9, 3600)->ban(60)]);
same('login', $limiter->name, 'name');
same(['log:5/1m,name=minute', 'fixed:9/1h,ban=1m'], array_map(strval(...), $limiter->limits), 'limits');
same(null, $limiter->store, 'store');
same('shm:', (new Limiter('a', Limit::fixedWindow(1, 1), 'shm:'))->store, 'a store of its own');
$secret = new Limiter('a', Limit::fixedWindow(1, 1), 'redis://:geheim@h:1');
ok(!str_contains(print_r($secret, true) . json_encode($secret), 'geheim') && str_contains($secret->store, 'h:1'), "no password: $secret->store");
throws(Exception::class, ["Serialization of 'FrequencyLimit\Limiter' is not allowed"], fn () => serialize($secret), 'serialize()');
throws(Exception::class, ["Unserialization of 'FrequencyLimit\Limiter' is not allowed"], fn () => unserialize('O:22:"FrequencyLimit\Limiter":0:{}'), 'unserialize()');
ok(!str_contains(var_export($secret, true), 'geheim') && !method_exists($secret, '__set_state'), 'var_export() has no password');
foreach ([new Limiter('b', $limiter->limits), new Limiter('login', $limiter->limits, 'shm:'), new Limiter('login', $limiter->limits[0]), new Limiter('login', array_reverse($limiter->limits))] as $i => $other) {
	ok($limiter != $other, "not equal, $i");
}
ok($limiter == new Limiter('login', $limiter->limits), 'equal');

/* Bad arrays. */
foreach ([[], ['text' => 5], ['text' => 'fixed:1']] as $array) {
	throws(InvalidArgument::class, ['非法参数: '], fn () => Limit::__set_state($array), json_encode($array));
	throws(InvalidArgument::class, ['非法参数: '], fn () => unserialize('O:20:"FrequencyLimit\Limit":' . substr(serialize($array), 2)), 'unserialize ' . json_encode($array));
}
throws(Error::class, ['cannot change'], fn () => $log->__unserialize(['text' => 'log:9/1m']), 'a second time');
same('log:5/500ms,ban=1h,name=account', (string) $log, 'unchanged');

/* Properties that were read are freed with their limit: the zone of a window and of its ban is one property. */
for ($i = $bytes = 0; $i < 2000; $i++) {
	$read = Limit::calendar(1, Period::Day, 'Asia/Shanghai')->ban(Period::Day);
	same('Asia/Shanghai', $read->timezone, 'zone');
	$bytes = $i === 1000 ? memory_get_usage() : $bytes;
}
same($bytes, memory_get_usage(), 'memory after 1,000 and 2,000 limits');

/* A cycle through a limiter is freed. */
for ($i = 0; $i < 100; $i++) {
	$cycle = new ArrayObject([$limiter, Limit::fixedWindow(1, 1)]);
	$cycle['self'] = $cycle;
}
unset($cycle);
ok(gc_collect_cycles() >= 100, 'cycles');
done();
?>
--EXPECT--
done
