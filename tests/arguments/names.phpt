--TEST--
Actions and identities have 1 to 255 bytes of any value
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';

const ARGUMENT = FrequencyLimit\InvalidArgument::class;

$names = ['a', '0', ' ', "\0", "\0\0", 'a:1', '{tag}', "\r\nDEL x\r\n", "\xff\xfe\x80", '评论', '%s%n', str_repeat('x', 254), str_repeat('x', 255)];
foreach ($names as $i => $name) {
	same(true, FrequencyLimit::doHandle($name, 1, 60, 1), "doHandle: action $i passes once");
	same(false, FrequencyLimit::doHandle($name, 1, 60, 1), "doHandle: action $i is refused then");
	same(true, FrequencyLimit::check('identities', $name, 60, 1)->accepted, "check: identity $i passes once");
	same(false, FrequencyLimit::check('identities', $name, 60, 1)->accepted, "check: identity $i is refused then");
	same(true, FrequencyLimit::isActionAllowed($name, 'allowed', 60, 1), "isActionAllowed: identity $i passes once");
	same(false, FrequencyLimit::isActionAllowed($name, 'allowed', 60, 1), "isActionAllowed: identity $i is refused then");
	same(true, FrequencyLimit::isActionAllowed(7, $name, 60, 1), "isActionAllowed: action $i passes once");
	same(false, FrequencyLimit::isActionAllowed(7, $name, 60, 1), "isActionAllowed: action $i is refused then");
	same(true, FrequencyLimit::reset($name, 1), "reset: action $i");
	same(true, FrequencyLimit::reset('identities', $name), "reset: identity $i");
}

foreach (['empty' => '', '256 bytes' => str_repeat('x', 256), '1 MiB' => str_repeat("\xe8\xaf\x84", 349526)] as $what => $bad) {
	throws(ARGUMENT, ['非法参数', '$action'], fn () => FrequencyLimit::doHandle($bad, 1, 60, 1), "doHandle: action, $what");
	throws(ARGUMENT, ['非法参数', '$action'], fn () => FrequencyLimit::check($bad, 1, 60, 1), "check: action, $what");
	throws(ARGUMENT, ['非法参数', '$id'], fn () => FrequencyLimit::check('a', $bad, 60, 1), "check: id, $what");
	throws(ARGUMENT, ['非法参数', '$action'], fn () => FrequencyLimit::reset($bad, 1), "reset: action, $what");
	throws(ARGUMENT, ['非法参数', '$id'], fn () => FrequencyLimit::reset('a', $bad), "reset: id, $what");
	throws(ARGUMENT, ['非法参数', '$userId'], fn () => FrequencyLimit::isActionAllowed($bad, 'a', 60, 1), "isActionAllowed: userId, $what");
	throws(ARGUMENT, ['非法参数', '$actionKey'], fn () => FrequencyLimit::isActionAllowed(1, $bad, 60, 1), "isActionAllowed: actionKey, $what");
}
/* A megabyte does not come back in the message. */
try {
	FrequencyLimit::doHandle(str_repeat('x', 1 << 20), 1, 60, 1);
} catch (FrequencyLimit\InvalidArgument $e) {
	ok(strlen($e->getMessage()) < 1000, 'the message is short');
	ok(str_contains(strtr($e->getMessage(), [',' => '']), '255'), 'and tells the bound: ' . $e->getMessage());
}
done();
?>
--EXPECT--
done
