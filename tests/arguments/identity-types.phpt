--TEST--
null, bool and float are no identities, also without strict_types; an int and a numeric string for $userId are
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
FrequencyLimit\Clock::freeze(1_900_000_000);
error_reporting(E_ALL & ~E_DEPRECATED);

$limiter = new Limiter('types', Limit::calendar(5, FrequencyLimit\Period::Day));
$calls = [
	'doHandle' => ['#2 ($userId) must be of type int, ', fn ($id) => FrequencyLimit::doHandle('types', $id, 60, 5)],
	'check' => ['#2 ($id) must be of type string|int, ', fn ($id) => FrequencyLimit::check('types', $id, 60, 5)],
	'peek' => ['#2 ($id)', fn ($id) => FrequencyLimit::peek('types', $id, 60, 5)],
	'reset' => ['#2 ($id)', fn ($id) => FrequencyLimit::reset('types', $id)],
	'isActionAllowed' => ['#1 ($userId)', fn ($id) => FrequencyLimit::isActionAllowed($id, 'types', 60, 5)],
	'Limiter::consume' => ['#1 ($id)', fn ($id) => $limiter->consume($id)],
	'Limiter::peek' => ['#1 ($id)', fn ($id) => $limiter->peek($id)],
	'Limiter::refund' => ['#1 ($id)', fn ($id) => $limiter->credit($id)],
	'Limiter::reserve' => ['#1 ($id)', fn ($id) => $limiter->reserve($id, 1_900_000_001)],
	'Limiter::cancel' => ['#1 ($id)', fn ($id) => $limiter->cancel($id, 1_900_000_001)],
	'Limiter::ban' => ['#1 ($id)', fn ($id) => $limiter->ban($id, 60)],
	'Limiter::unban' => ['#1 ($id)', fn ($id) => $limiter->unban($id)],
	'Limiter::reset' => ['#1 ($id)', fn ($id) => $limiter->reset($id)],
];
$name = new class {
	public function __toString(): string
	{
		return '1';
	}
};
$before = FrequencyLimit\Monitor::stats()['decisions'];
foreach ($calls as $what => [$message, $call]) {
	foreach ([null, false, true, 0.0, 1.0, 1.5, NAN, $name, ...(str_starts_with($what, 'Limiter') ? [] : [[1]])] as $id) {
		throws(TypeError::class, [$message], fn () => $call($id), "$what(" . get_debug_type($id) . ')');
	}
	/* An array is for limits with by(). */
	if (str_starts_with($what, 'Limiter')) {
		throws(FrequencyLimit\InvalidArgument::class, ['$id must be an int or a string, an array given'], fn () => $call([1]), "$what(array)");
	}
}
foreach ([null, true, 1.0, $name] as $i => $id) {
	throws(FrequencyLimit\InvalidArgument::class, ['非法参数: $ids (position 1) must be an int or a string, '], fn () => $limiter->consumeMany([1, $id]), "consumeMany, case $i");
}
same($before, FrequencyLimit\Monitor::stats()['decisions'], 'nothing was decided');
foreach ([0, 1] as $id) {
	same([4, 4], [FrequencyLimit::check('types', $id, 60, 5)->remaining, $limiter->consume($id)->remaining], "nothing was counted for $id");
}

/* $userId is an int, and so are its digits. Other numeric strings PHP would round. */
same(true, FrequencyLimit::doHandle('user', '7', 60, 1), 'digits');
same(false, FrequencyLimit::doHandle('user', 7, 60, 1), 'are the int');
foreach (['7.0', '7.5', '1e3', '', '7x', '99999999999999999999'] as $id) {
	throws(TypeError::class, ['#2 ($userId) must be of type int, string given'], fn () => FrequencyLimit::doHandle('user', $id, 60, 1), "\"$id\"");
}
done();
?>
--EXPECT--
done
