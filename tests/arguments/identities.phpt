--TEST--
An int and its digits are one identity; no two other pairs share a state
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	/* 42 and '42' are one identity in every function. */
	same(true, FrequencyLimit::doHandle('same', 42, 60, 3), 'an int');
	same(1, FrequencyLimit::check('same', '42', 60, 3)->remaining, 'the string of its digits');
	same(0, FrequencyLimit::check('same', 42, 60, 3)->remaining, 'and the int again');
	foreach ([PHP_INT_MAX, PHP_INT_MIN, 0, -1, -42] as $number) {
		FrequencyLimit::check('same', $number, 60, 3);
		same(1, FrequencyLimit::check('same', (string) $number, 60, 3)->remaining, "$number and its string");
	}

	/* Every other spelling of a number is another identity. */
	$strings = ['042', '+42', ' 42', '42 ', '42.0', '4.2e1', '-0', '00', '9223372036854775808', '-9223372036854775809', "42\0", '４２'];
	foreach ($strings as $string) {
		same(2, FrequencyLimit::check('same', $string, 60, 3)->remaining, json_encode($string) . ' is another');
	}

	/* No two pairs of action and identity share a state, also when their joined strings are equal. */
	$pairs = [
		['a:1', '2'], ['a', '1:2'], ['a:', '1:2'], ['a', ':1:2'], ['a:1:', '2'], ['a::1', '2'],
		["a\0", 'b'], ['a', "\0b"], ["a\0b", 'c'], ['a', "b\0c"], ["\0", "\0\0"], ["\0\0", "\0"],
		['{a}', 'b'], ['{a', '}b'], ['a', '{a}b'], ['a{', '}b'],
		["\xc3", "\xa9"], ["\xc3\xa9", 'x'], ['é', 'x:'], ["e\u{301}", 'x'],
		['A', '1:2'], ['a%3A1', '2'], ['a\\:1', '2'], ['a', '1%3A2'], ['a', '1\\:2'],
		[str_repeat('a', 255), str_repeat('b', 255)], [str_repeat('a', 254), 'a' . str_repeat('b', 254)],
		['act:limit:a', '1'], ['a', 'act:limit:1'],
	];
	foreach ($pairs as $i => [$action, $id]) {
		same(99, FrequencyLimit::check($action, $id, 60, 100)->remaining, "pair $i is new");
	}
	foreach ($pairs as $i => [$action, $id]) {
		same(98, FrequencyLimit::check($action, $id, 60, 100)->remaining, "pair $i has counted its own call and nothing else");
	}
	foreach ($pairs as $i => [$action, $id]) {
		same(true, FrequencyLimit::isActionAllowed($id, $action, 60, 1), "isActionAllowed has counts of its own, pair $i");
	}
	foreach ($pairs as $i => [$action, $id]) {
		same(true, FrequencyLimit::reset($action, $id), "pair $i is forgotten once");
	}
	foreach ($pairs as $i => [$action, $id]) {
		same(99, FrequencyLimit::check($action, $id, 60, 100)->remaining, "pair $i begins afresh");
	}
}

scenario(each_store());
done();
?>
--EXPECT--
done
