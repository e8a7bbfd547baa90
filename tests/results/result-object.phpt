--TEST--
A Result cannot be created, changed, extended or serialized
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Result;

$r = FrequencyLimit::check('object', 1, 60, 2);
throws(Error::class, ['private FrequencyLimit\Result::__construct()'], fn () => new Result(), 'new');
throws(Error::class, ['readonly property FrequencyLimit\Result::$accepted'], fn () => $r->accepted = false, 'write');
throws(Error::class, ['readonly property FrequencyLimit\Result::$remaining'], fn () => $r->remaining++, 'increment');
throws(Error::class, ['readonly'], function () use ($r) { $reference = &$r->limit; }, 'reference');
throws(Error::class, ['readonly'], function () use ($r) { unset($r->reason); }, 'unset');
throws(Error::class, ['dynamic property FrequencyLimit\Result::$more'], fn () => $r->more = 1, 'a property of its own');
throws(Exception::class, ["Serialization of 'FrequencyLimit\Result' is not allowed"], fn () => serialize($r), 'serialize');
throws(Exception::class, ['FrequencyLimit\Result', 'is not allowed'], fn () => unserialize('O:21:"FrequencyLimit\Result":0:{}'), 'unserialize');
same(true, (new ReflectionClass(Result::class))->isFinal(), 'final');
try {
	(new ReflectionClass(Result::class))->newInstanceWithoutConstructor();
	failed('newInstanceWithoutConstructor() makes one');
} catch (ReflectionException) {
}
same(['accepted', 'reason', 'limit', 'remaining', 'retryAfter', 'resetAfter', 'nextAfter', 'name', 'store', 'granted', 'wait', 'shadow', 'level', 'limits'], array_keys(get_object_vars($r)), 'all are set');
same('{"accepted":true,"reason":"accepted","limit":2,"remaining":1,"retryAfter":0', substr(json_encode($r), 0, 75), 'as JSON');

/* A write to readonly properties by a detour (PHP 8.2: ArrayObject) changes the visible values, and nothing else. */
$limiter = new FrequencyLimit\Limiter('written', FrequencyLimit\Limit::fixedWindow(1, 60)->named(str_repeat('n', 40)));
$result = $limiter->consume(1);
unset($limiter);
$headers = $result->headers();
try {
	$object = @new ArrayObject($result); // deprecated since PHP 8.5
	$object['name'] = 'evil';
} catch (Throwable) {
}
$other = array_map(fn ($i) => str_repeat((string) $i, 40), range(1, 100));
same($headers, $result->headers(), 'the headers');
done();
?>
--EXPECT--
done
