--TEST--
top() has the callers that are refused most; halves count, reset() removes, and ratelimit.top=0 keeps nobody
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, InvalidArgument, Limit, Limiter};

/* Rows of the same number have no order. */
$rows = function (int $count = 10): array {
	$rows = array_map(fn (array $row): array => [$row['identity'], $row['refusals'], $row['error']], FrequencyLimit\Monitor::top($count));
	usort($rows, fn (array $a, array $b): int => [$b[1], $a[0]] <=> [$a[1], $b[0]]);
	return $rows;
};
$limiter = new Limiter('api', Limit::fixedWindow(1, 86400));
Clock::freeze();
foreach (['a' => 3, 'b' => 9, 'c' => 6] as $id => $calls) {
	for ($i = 0; $i < $calls; $i++) {
		$limiter->allow($id);
	}
}
same([['b', 8, 0], ['c', 5, 0], ['a', 2, 0]], $rows(), 'few refusals are exact');
same([['b', 8, 0]], $rows(1), 'the first');
$row = FrequencyLimit\Monitor::top(1)[0];
same(['limiter', 'api', null, 'fixed:1/1d'], [$row['kind'], $row['name'], $row['by'], $row['limit']], 'the row');
Clock::advance(240);
same([['b', 2, 0], ['c', 1, 0]], $rows(), 'older ones count half after 2 minutes, and a quarter after 4');
$limiter->allow('a');
same([['b', 2, 0], ['a', 1, 0], ['c', 1, 0]], $rows(), 'a new one counts whole');
same(true, $limiter->reset('b'), 'reset()');
same([['a', 1, 0], ['c', 1, 0]], $rows(), 'a forgotten one is gone');
Clock::advance(86400);
same([], $rows(), 'nothing is left after a day');

/* The same name on another store is another row. */
$own = new Limiter('api', Limit::fixedWindow(1, 86400), 'shm:');
foreach (['shm:' => false, 'redis://127.0.0.1:1' => true] as $general => $isElsewhere) {
	ini_set('ratelimit.store', $general);
	$own->allow('own');
	$own->allow('own');
	$own->ban('own', 60);
	foreach (['top', 'bans'] as $method) {
		$found = array_filter(FrequencyLimit\Monitor::$method(), fn (array $row): bool => $row['identity'] === 'own');
		same([['limiter', 'api', $isElsewhere]], array_map(fn (array $row): array => [$row['kind'], $row['name'], $row['elsewhere']], array_values($found)), "$method: beside $general");
	}
	same(true, $own->reset('own'), 'reset()');
}
ini_set('ratelimit.store', 'shm:');

/* Bytes of any value, long ones, and identities that look alike. */
$strange = ["\0\xff\"<b>", str_repeat('ü', 120), '42', 'x42'];
foreach ($strange as $id) {
	$limiter->allow($id);
	$limiter->allow($id);
}
foreach (["\0\xff\"<b>", str_repeat('ü', 56) . '…', 42, 'x42'] as $identity) {
	ok(in_array($identity, array_column(FrequencyLimit\Monitor::top(), 'identity'), true), shown($identity));
}
(new Limiter('x' . str_repeat('ü', 100), Limit::fixedWindow(1, 60)))->consumeMany(['z', 'z']);
ok(in_array('x' . str_repeat('ü', 47) . '…', array_column(FrequencyLimit\Monitor::top(), 'name'), true), 'a long name');
foreach ([0, -1, 1001] as $count) {
	throws(InvalidArgument::class, ['$count must be between 1 and 1000', $count], fn () => FrequencyLimit\Monitor::top($count), "top($count)");
	throws(InvalidArgument::class, ['$count must be between 1 and 1000', $count], fn () => FrequencyLimit\Monitor::bans($count), "bans($count)");
}
FrequencyLimit::flush();
same([], FrequencyLimit\Monitor::top(), 'flush()');

ini_set('ratelimit.top', '0');
$banned = new Limiter('banned', Limit::fixedWindow(1, 60)->ban(60));
foreach ([$limiter, $banned] as $one) {
	$one->allow('q');
	$one->allow('q');
}
FrequencyLimit::ban('pay', 'q', 60);
same([[], []], [FrequencyLimit\Monitor::top(), FrequencyLimit\Monitor::bans()], 'ratelimit.top=0');
ini_set('ratelimit.top', '1');
same([[], []], [FrequencyLimit\Monitor::top(), FrequencyLimit\Monitor::bans()], 'and nobody was kept meanwhile');
ok(in_array('banned', array_column(FrequencyLimit\Monitor::limiters(), 'name'), true), 'the counts by name are');
done();
?>
--EXPECT--
done
