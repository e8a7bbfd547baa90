--TEST--
Arguments of a wrong type throw a TypeError by PHP's own rules, strict and weak
--EXTENSIONS--
ratelimit
--FILE--
<?php
declare(strict_types=1);
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/weak.inc';

foreach ([
	[1, 1, 60, 1], ['a', '1', 60, 1], ['a', 1.0, 60, 1], ['a', 1, '60', 1], ['a', 1, 60, 1.5], ['a', 1, 60, true],
	['a', 1, 60, 1, 'expire'], ['a', null, 60, 1], [null, 1, 60, 1], [['a'], 1, 60, 1], ['a', new stdClass(), 60, 1],
] as $i => $arguments) {
	throws(TypeError::class, ['FrequencyLimit::doHandle(): Argument #'], fn () => FrequencyLimit::doHandle(...$arguments), "strict, case $i");
}
throws(TypeError::class, ['Argument #2'], fn () => FrequencyLimit::check('a', 1.5, 60, 1), 'check: a float id');
throws(TypeError::class, ['Argument #2'], fn () => FrequencyLimit::check('a', null, 60, 1), 'check: null as id');
throws(TypeError::class, ['Argument #2'], fn () => FrequencyLimit::reset('a', []), 'reset: an array as id');
throws(TypeError::class, ['Argument #1'], fn () => FrequencyLimit::isActionAllowed(true, 'a', 60, 1), 'isActionAllowed: a bool');
throws(ArgumentCountError::class, ['FrequencyLimit::doHandle() expects at least 4'], fn () => FrequencyLimit::doHandle('a', 1, 60), 'too few');
throws(ArgumentCountError::class, ['FrequencyLimit::doHandle() expects at most 5'], fn () => FrequencyLimit::doHandle('a', 1, 60, 1, [], 1), 'too many');
throws(Error::class, ['Unknown named parameter $window'], fn () => FrequencyLimit::doHandle('a', 1, window: 60, number: 1), 'a name that is none');

same(true, FrequencyLimit::doHandle(number: 1, time: 60, userId: 5, action: 'named'), 'named arguments');
same(false, FrequencyLimit::doHandle('named', 5, 60, 1), 'mean the same');

weak();
done();
?>
--EXPECT--
done
