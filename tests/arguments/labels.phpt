--TEST--
A wrong label, a missing or a superfluous identity is an InvalidArgument that names it, and changes nothing
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, InvalidArgument, Limit, Limiter};
Clock::freeze(1_900_000_000);

$bad = fn (array $parts, callable $call, string $what) => throws(InvalidArgument::class, ['非法参数', ...$parts], $call, $what);
$both = new Limiter('both', ['t' => Limit::slidingLog(10, 60)->by('tenant'), 'u' => Limit::slidingLog(5, 60)->by('user')]);
$one = new Limiter('one', ['t' => Limit::fixedWindow(10, 60)->by('tenant'), 'again' => Limit::slidingLog(10, 60)->by('tenant')]);
$none = new Limiter('none', Limit::slidingLog(10, 60));
$both->consume(['tenant' => 1, 'user' => 2]);
$state = fn () => [$both->peek(['tenant' => 1, 'user' => 3], ['t' => 1, 'u' => 0])->remaining, $both->peek(['tenant' => 3, 'user' => 2])->remaining,
	FrequencyLimit\Monitor::stats()['decisions']];
$before = $state();

$calls = [
	'consume' => fn ($id) => $both->consume($id),
	'allow' => fn ($id) => $both->allow($id),
	'acquire' => fn ($id) => $both->acquire($id),
	'peek' => fn ($id) => $both->peek($id),
	'credit' => fn ($id) => $both->credit($id),
	'ban' => fn ($id) => $both->ban($id, 60),
	'unban' => fn ($id) => $both->unban($id),
	'reset' => fn ($id) => $both->reset($id),
];
foreach ($calls as $method => $call) {
	$bad(["by('tenant'), by('user')", "'team'"], fn () => $call(['tenant' => 1, 'user' => 2, 'team' => 3]), "$method: an identity for no limit");
	$bad(["by('tenant'), by('user')", "'0'"], fn () => $call([1, 2]), "$method: a list");
	$bad(["\$id['user']", 'int or a string', 'null given'], fn () => $call(['tenant' => 1, 'user' => null]), "$method: null");
	$bad(["\$id['user']", 'array given'], fn () => $call(['tenant' => 1, 'user' => [2]]), "$method: an array");
	$bad(["\$id['user']", 'between 1 and 255 bytes'], fn () => $call(['tenant' => 1, 'user' => '']), "$method: an empty string");
	$bad(["\$id['user']", '256 given'], fn () => $call(['tenant' => 1, 'user' => str_repeat('x', 256)]), "$method: a long string");
	$bad(["by('tenant')"], fn () => $call([]), "$method: none");
	$bad(['an array', "by('tenant'), by('user')"], fn () => $call(7), "$method: one identity");
	throws(TypeError::class, ['#1 ($id)'], fn () => $call(1.5), "$method: a float");
	if (!in_array($method, ['ban', 'unban', 'reset'], true)) {
		$bad(["'user'"], fn () => $call(['tenant' => 1]), "$method: an identity is missing");
	}
	$bad(['$id', 'by()'], fn () => $none->consume(['tenant' => 1]), 'an array without labels');
}
$bad(['maxWait', "by('tenant') and by('user')"], fn () => $both->acquire(['tenant' => 1, 'user' => 2], maxWait: 1), 'maxWait');
$bad(['$atLeast', "by('tenant') and by('user')"], fn () => $both->consume(['tenant' => 1, 'user' => 2], 2, atLeast: 1), 'atLeast');
$bad(['reserve()', "by('tenant') and by('user')"], fn () => $both->reserve(['tenant' => 1, 'user' => 2], 1_900_000_100), 'reserve');
$bad(['cancel()'], fn () => $both->cancel(['tenant' => 1, 'user' => 2], 1_900_000_100), 'cancel');
$bad(['consumeMany()', "by('tenant')"], fn () => $one->consumeMany([1, 2]), 'consumeMany');
$bad(['all have by()', 'position 1'], fn () => new Limiter('x', [Limit::fixedWindow(1, 1)->by('a'), Limit::fixedWindow(1, 2)]), 'by() on some');
$bad(['all have by()', 'position 1'], fn () => new Limiter('x', [Limit::fixedWindow(1, 1), Limit::fixedWindow(1, 2)->by('a')]), 'by() on others');
$bad(['$name', 'between 1 and 248', '249 given'], fn () => new Limiter(str_repeat('n', 249), Limit::fixedWindow(1, 1)->by('tenant')), 'a long name');
$bad(['shadow()', "by('a')"], fn () => new Limiter('x', [Limit::fixedWindow(1, 1)->by('a'), Limit::fixedWindow(1, 2)->by('a')->shadow()]), 'a shadow beside by()');
$bad(['shadow()', "by('a')"], fn () => new Limiter('x', Limit::fixedWindow(1, 1)->by('a')->shadow()), 'by() of a shadow');
$bad(['$cost', 'shadow()'], fn () => (new Limiter('x', [Limit::fixedWindow(1, 1)->named('a'), Limit::fixedWindow(1, 2)->named('b')->shadow()]))->consume(1, ['a' => 1]),
	'costs beside a shadow');
foreach (['' => '0 given', str_repeat('l', 65) => '65 given', "a\n" => '0x0a', "\u{df}" => '0xc3'] as $label => $part) {
	$bad(['$identity', $part], fn () => Limit::fixedWindow(1, 1)->by((string) $label), "by(" . json_encode($label) . ')');
}
same($before, $state(), 'nothing changed');

/* What is good. */
$off = ['t' => Limit::none()->by('tenant'), 'u' => Limit::fixedWindow(5, 60)->by('user')];
same([true, 1, 4], (fn ($result) => [$result->accepted, $result->granted, $result->remaining])((new Limiter('off', $off))->consume(['tenant' => 1, 'user' => 2], ['t' => 7, 'u' => 1], leave: 1)),
	'none() among others takes an identity and a cost');
same([true, 9], (fn ($result) => [$result->accepted, $result->granted])((new Limiter('off', Limit::none()))->consume(['tenant' => 1], ['t' => 9])), 'none() alone takes any');
$user = 2;
same(true, $both->consume(['user' => &$user, 'tenant' => '1'])->accepted, 'any order, a reference, and the digits of an int');
same(7, $both->peek(['tenant' => 1, 'user' => 9], ['t' => 1, 'u' => 0])->remaining, 'which is that int');
same(true, $one->consume(['tenant' => 1])->accepted, 'one label');
same(10, $none->peek('1')->remaining + 1, 'a label has states of its own');
same(9, (new Limiter('one', Limit::fixedWindow(10, 60)))->consume(1)->remaining, 'so has no label');
same(true, (new Limiter('digits', Limit::fixedWindow(1, 1)->by('7')))->consume(['7' => 1])->accepted, 'a label of digits');
same(true, (new Limiter(str_repeat('n', 248), Limit::fixedWindow(1, 1)->by('tenant')))->consume(['tenant' => str_repeat('i', 255)])->accepted, 'the longest');
done();
?>
--EXPECT--
done
