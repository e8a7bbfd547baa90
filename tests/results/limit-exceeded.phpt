--TEST--
A LimitExceeded always has its Result: it is made of a refused one, and of nothing else
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{InvalidArgument, Limit, Limiter, LimitExceeded, Result};

$limiter = new Limiter('made', Limit::fixedWindow(1, 60));
$accepted = $limiter->consume(7);
$refused = $limiter->consume(7);

$e = new LimitExceeded($refused);
same([$refused, 429, 'Too many calls of "made" by 7: the limit "default" is 1, a call passes again in 60 s'], [$e->result, $e->getCode(), preg_replace('/\b61\b/', '60', $e->getMessage())], 'of a refusal');
$e = new LimitExceeded($refused, 'Slow down');
same([$refused, 429, 'Slow down'], [$e->result, $e->getCode(), $e->getMessage()], 'with a message of its own');
ok(str_starts_with((string) $e, 'FrequencyLimit\LimitExceeded: Slow down in ' . __FILE__), 'as a string: ' . $e);

throws(ArgumentCountError::class, ['__construct()', 'at least 1'], fn () => new LimitExceeded(), 'of nothing');
throws(TypeError::class, ['Argument #1 ($result)', 'FrequencyLimit\Result', 'string given'], fn () => new LimitExceeded('x'), 'of a message');
throws(InvalidArgument::class, ['$result must be a refused Result'], fn () => new LimitExceeded($accepted), 'of an accepted one');
throws(Error::class, ['readonly'], fn () => $e->__construct($refused, 'again'), 'twice');
same('Slow down', $e->getMessage(), 'which changes nothing');
throws(Exception::class, ['not allowed'], fn () => serialize($e), 'serialized');
throws(Exception::class, ['not allowed'], fn () => unserialize('O:28:"FrequencyLimit\LimitExceeded":0:{}'), 'unserialized');
throws(ReflectionException::class, ['final'], fn () => (new ReflectionClass(LimitExceeded::class))->newInstanceWithoutConstructor(), 'by reflection');
done();
?>
--EXPECT--
done
