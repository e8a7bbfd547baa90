--TEST--
Limit and Limiter have readable properties, compare by value, and survive var_export() and serialize()
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
$expected = ['algorithm' => 'log', 'limit' => 5, 'seconds' => 0.5, 'period' => null, 'timezone' => null, 'rate' => null, 'ban' => 3600, 'banUntil' => null, 'leased' => false, 'shadow' => false, 'by' => null, 'name' => 'account', 'bans' => null, 'forget' => null];
$log = Limit::slidingLog(5, 0.5)->ban(3600)->named('account');
same($expected, get_object_vars($log), 'a log');
same($expected, json_decode(json_encode($log), true), 'as JSON');
same('account', $log->name, 'one property');
ok(isset($log->ban) && !isset($log->rate) && !isset($log->nothing), 'isset()');
foreach ([
	'calendar:3/day@Asia/Tokyo,ban=month' => ['algorithm' => 'calendar', 'seconds' => null, 'period' => Period::Day, 'timezone' => 'Asia/Tokyo', 'ban' => null, 'banUntil' => Period::Month],
	'bucket:10/1s,burst=50' => ['algorithm' => 'bucket', 'limit' => 50, 'rate' => 10, 'seconds' => 1],
	'fixed:9/1m,ban=@1700000000' => ['ban' => null, 'banUntil' => 1_700_000_000, 'timezone' => null],
	'fixed:9/1m,ban=hour@Asia/Tokyo' => ['banUntil' => Period::Hour, 'timezone' => 'Asia/Tokyo'],
	'fixed:9/1m,lease' => ['leased' => true],
	'fixed:9/1m,bans=1m+10m+90m,forget=1w' => ['bans' => [60, 600, 5400], 'forget' => 604800, 'ban' => null, 'banUntil' => null],
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
foreach ([$limiter, $secret, new Limiter('a', Limit::fixedWindow(1, 1), 'shm:')] as $one) {
	ok(unserialize(serialize($one)) == $one, 'unserialize()');
	ok(eval('return ' . var_export($one, true) . ';') == $one, 'var_export()');
}
ok(unserialize(serialize($limiter))->consume('x')->accepted && $limiter->peek('x')->remaining === 3, 'a copy counts in the same place');
foreach ([new Limiter('b', $limiter->limits), new Limiter('login', $limiter->limits, 'shm:'), new Limiter('login', $limiter->limits[0]), new Limiter('login', array_reverse($limiter->limits))] as $i => $other) {
	ok($limiter != $other, "not equal, $i");
}
ok($limiter == new Limiter('login', $limiter->limits), 'equal');

/* Bad arrays. */
foreach ([Limit::class => [[], ['text' => 5], ['text' => 'fixed:1']], Limiter::class => [[], ['name' => 'x'], ['name' => 'x', 'limits' => []], ['name' => 'x', 'limits' => [5]], ['name' => 'x', 'limits' => ['fixed:1/1']],
	['name' => 'x', 'limits' => ['fixed:1/1s'], 'store' => 5], ['name' => 'x', 'limits' => ['fixed:1/1s'], 'store' => 'ftp:'], ['name' => '', 'limits' => ['fixed:1/1s']], ['name' => 'x', 'limits' => ['log:1/1s,name=a', 'log:1/1s,name=a']]]] as $class => $arrays) {
	foreach ($arrays as $array) {
		throws(InvalidArgument::class, ['非法参数: '], fn () => $class::__set_state($array), "$class " . json_encode($array));
		throws(InvalidArgument::class, ['非法参数: '], fn () => unserialize('O:' . strlen($class) . ":\"$class\":" . substr(serialize($array), 2)), "unserialize $class " . json_encode($array));
	}
}
throws(Error::class, ['cannot change'], fn () => $log->__unserialize(['text' => 'log:9/1m']), 'a second time');
throws(Error::class, ['constructed twice'], fn () => $limiter->__unserialize(['name' => 'x', 'limits' => ['log:9/1m']]), 'a Limiter a second time');
same('log:5/500ms,ban=1h,name=account', (string) $log, 'unchanged');

/* Properties that were read are freed with their limit: the zone of a window and of its ban is one property. */
for ($i = $bytes = 0; $i < 2000; $i++) {
	$read = Limit::calendar(1, Period::Day, 'Asia/Shanghai')->banUntil(Period::Day);
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
