--TEST--
A limit that is named other has a metric of its own beside that of all limits without room
--EXTENSIONS--
ratelimit
--FILE--
<?php
use FrequencyLimit\{Limit, Limiter, Monitor};

foreach (['other', ...range(1, 14)] as $i => $name) {
	$limiter = new Limiter('limiter', Limit::fixedWindow(1, 60 + $i)->named("$name"));
	$limiter->allow($i);
	$limiter->allow($i);
}
preg_match_all('/^ratelimit_limit_refusals_total\{.*\} (\d+)$/m', Monitor::metrics(), $found);
echo implode("\n", preg_grep('/"(other)?"\}/', $found[0])), "\n";
echo count($found[0]), ' ', array_sum($found[1]), "\n";
?>
--EXPECT--
ratelimit_limit_refusals_total{kind="limiter",name="limiter",limit="other"} 1
ratelimit_limit_refusals_total{kind="limiter",name="limiter",limit=""} 3
13 15
