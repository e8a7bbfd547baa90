--TEST--
ensureAccepted() returns an accepted result and throws LimitExceeded, code 429, for a refusal
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\LimitExceeded;

$first = FrequencyLimit::check('ensure', 'a', 60, 1);
same(true, $first === $first->ensureAccepted(), 'the same object');
$second = FrequencyLimit::check('ensure', 'a', 60, 1);
try {
	$second->ensureAccepted();
	failed('a refusal went through');
} catch (LimitExceeded $e) {
	same(429, $e->getCode(), 'code');
	same(true, $e instanceof RuntimeException, 'a RuntimeException');
	same(true, $e->result === $second, 'with the result');
	ok($e->getMessage() !== '', 'and a message');
	same(basename(__FILE__), basename($e->getFile()), 'thrown here');
}
try {
	$e->result = $first;
	failed('LimitExceeded::$result can be written');
} catch (Error $readonly) {
	ok(str_contains($readonly->getMessage(), 'readonly'), $readonly->getMessage());
}
done();
?>
--EXPECT--
done
