--TEST--
The bounds of every number pass; a number beyond them throws an error that names it, and changes nothing
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
FrequencyLimit\Clock::freeze(1_900_000_000);

const TEN_YEARS = 315360000;
const ARGUMENT = FrequencyLimit\InvalidArgument::class;

/* name => [a legal call's arguments, the place, least, greatest] */
$doHandle = [
	'userId' => [['a', 1, 10, 10], 1, 1, PHP_INT_MAX],
	'time' => [['a', 1, 10, 10], 2, 1, TEN_YEARS],
	'number' => [['a', 1, 10, 10], 3, 1, 16777215],
];
$check = [
	'time' => [['b', 1, 10, 10], 2, 1, TEN_YEARS],
	'number' => [['b', 1, 10, 10], 3, 1, 16777215],
];
$isActionAllowed = [
	'period' => [[1, 'c', 10, 10], 2, 1, TEN_YEARS],
	'maxCount' => [[1, 'c', 10, 10], 3, 1, 10000],
];
foreach (['doHandle' => $doHandle, 'check' => $check, 'isActionAllowed' => $isActionAllowed] as $method => $arguments) {
	foreach ($arguments as $name => [$call, $place, $least, $greatest]) {
		foreach ([$least, $greatest] as $legal) {
			array_map(fn ($action) => FrequencyLimit::reset($action, 1), ['a', 'b', 'c']);
			$call[$place] = $legal;
			$answer = [FrequencyLimit::class, $method](...$call);
			ok($answer === true || $answer->accepted, "$method: $name = $legal");
		}
		foreach ([$least - 1 => $least, -1 => $least, PHP_INT_MIN => $least] + ($greatest < PHP_INT_MAX
			? [$greatest + 1 => $greatest, PHP_INT_MAX => $greatest] : []) as $illegal => $bound) {
			$call[$place] = $illegal;
			throws(ARGUMENT, ['非法参数', "\$$name", $illegal], fn () => [FrequencyLimit::class, $method](...$call), "$method: $name = $illegal");
			throws(ARGUMENT, [$bound], function () use ($method, $call) {
				try {
					[FrequencyLimit::class, $method](...$call);
				} catch (FrequencyLimit\InvalidArgument $e) {
					throw new FrequencyLimit\InvalidArgument(strtr($e->getMessage(), [',' => '', '_' => '']));
				}
			}, "$method: $name = $illegal tells its bound");
		}
	}
}

/* An illegal call neither counts nor opens a window. */
FrequencyLimit::reset('d', 1);
foreach ([[0, 10], [10, 0], [10, 16777216], [TEN_YEARS + 1, 10]] as [$time, $number]) {
	throws(ARGUMENT, ['非法参数'], fn () => FrequencyLimit::doHandle('d', 1, $time, $number), "$time, $number");
}
same(false, FrequencyLimit::reset('d', 1), 'there is nothing to forget');
done();
?>
--EXPECT--
done
