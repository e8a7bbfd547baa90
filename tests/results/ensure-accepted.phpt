--TEST--
ensureAccepted() returns an accepted result, and throws LimitExceeded with code 429 for a refusal
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
	same('Too often for "default" (1): passes again in 60 s', preg_replace('/\b61\b/', '60', $e->getMessage()), 'and a message');
	same(basename(__FILE__), basename($e->getFile()), 'thrown here');
}
/* The limit has its name from the headers; a refusal by on_failure has a message of its own. */
$limiter = new FrequencyLimit\Limiter('ensure', [FrequencyLimit\Limit::fixedWindow(5, 10), FrequencyLimit\Limit::fixedWindow(1, 90)]);
$limiter->consume(1);
throws(LimitExceeded::class, ['Too often for "default-2" (1): passes again in 90 s'], fn () => $limiter->consume(1)->ensureAccepted(), 'the second of two');
throws(LimitExceeded::class, ['Too expensive for "default" (5): never passes'], fn () => $limiter->consume(1, 9)->ensureAccepted(), 'too expensive');
ini_set('ratelimit.on_failure', 'deny');
ini_set('ratelimit.store', 'unix:///nowhere/redis.sock');
ini_set('error_log', '/dev/null');
throws(LimitExceeded::class, ['"default" (1) cannot be checked, its store is away: try again in 1 s'],
	fn () => FrequencyLimit::check('ensure', 'a', 60, 1)->ensureAccepted(), 'the store is away');
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
