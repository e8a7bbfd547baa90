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
	same('Too many calls of "ensure": the limit "default" is 1, a call passes again in 60 s', preg_replace('/\b61\b/', '60', $e->getMessage()), 'and a message');
	same(basename(__FILE__), basename($e->getFile()), 'thrown here');
}
/* The limit has its name from the headers; a refusal by on_failure has a message of its own. */
$limiter = new FrequencyLimit\Limiter('ensure', [FrequencyLimit\Limit::fixedWindow(5, 10), FrequencyLimit\Limit::fixedWindow(1, 90)]);
$limiter->consume(1);
throws(LimitExceeded::class, ['Too many calls of "ensure" by 1: the limit "default-2" is 1, a call passes again in 9'], fn () => $limiter->consume(1)->ensureAccepted(), 'the second of two');
throws(LimitExceeded::class, ['Too expensive a call of "ensure" by 1: the limit "default" is 5, so that it never passes'], fn () => $limiter->consume(1, 9)->ensureAccepted(), 'too expensive');
$banning = new FrequencyLimit\Limiter('login', FrequencyLimit\Limit::fixedWindow(1, 10)->ban(90)->named('account'));
$banning->consume(42);
throws(LimitExceeded::class, ['Too many calls of "login" by 42: banned by the limit "account" (1), the ban ends in 90 s'],
	fn () => $banning->consume(42)->ensureAccepted(), 'banned');
/* An int is named, a string is not: it may be a token. */
throws(LimitExceeded::class, ['Too many calls of "ensure" by 7: '], function () {
	FrequencyLimit::check('ensure', 7, 60, 1);
	FrequencyLimit::check('ensure', 7, 60, 1)->ensureAccepted();
}, 'check() of a user');
throws(LimitExceeded::class, ['Too many calls of "token": '], function () {
	$tokens = new FrequencyLimit\Limiter('token', FrequencyLimit\Limit::fixedWindow(1, 10));
	$tokens->consume('s3cr3t');
	try {
		$tokens->consume('s3cr3t')->ensureAccepted();
	} catch (LimitExceeded $e) {
		ok(!str_contains((string) $e, 's3cr3t'), 'the token is not in the message, nor in the trace: ' . $e);
		throw $e;
	}
}, 'an identity that is a string');
ini_set('ratelimit.on_failure', 'deny');
ini_set('ratelimit.store', 'unix:///nowhere/redis.sock');
ini_set('error_log', '/dev/null');
throws(LimitExceeded::class, ['Cannot check the limit of "ensure": the store is unavailable, try again in 1 s'],
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
