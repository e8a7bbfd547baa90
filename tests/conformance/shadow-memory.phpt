--TEST--
A decision that a shadow limit would have refused leaves no memory behind
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Limit, Limiter};

$limiter = new Limiter('memory', Limit::fixedWindow(1, 60)->shadow());
$refuse = function (int $times) use ($limiter): void {
	for ($i = 0; $i < $times; $i++) {
		$shadow = $limiter->consume(1)->shadow;
	}
	same('fixed:1/1m,shadow', $shadow, 'its text');
};
$refuse(10);
$before = memory_get_usage();
$refuse(1000);
between(0, memory_get_usage() - $before, 1000, 'bytes');
done();
?>
--EXPECT--
done
