--TEST--
A limiter that is constructed once takes memory of its request; the worker keeps one from the second construction on
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') {
	exit('skip: it measures the memory of PHP');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Limit, Limiter};

$taken = function (string $name, mixed ...$store): int {
	$limit = Limit::fixedWindow(10, 60);
	$before = memory_get_usage();
	$limiter = new Limiter($name, $limit, ...$store);
	return memory_get_usage() - $before;
};
$taken('the code of the call');
/* A kept limiter is malloc'ed: the request has the object alone. */
foreach (['two arguments' => [], 'no store' => [null]] as $call => $store) {
	between(1500, $taken("once, $call", ...$store), 10_000, "$call: the first time");
	foreach ([2, 3] as $time) {
		between(0, $taken("once, $call", ...$store), 600, "$call: time $time");
	}
}
done();
?>
--EXPECT--
done
