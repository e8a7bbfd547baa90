--TEST--
A set wall clock never books a calendar window beyond its limit
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/simclock.inc';
foreach ([0, 45, 3600, -3600, 86400] as $step) {
	foreach (['Minute' => 90, 'Hour' => 3700] as $period => $ahead) {
		$clock = new SimClock();
		$php = new SimPhp($clock, ['date.timezone' => 'UTC']);
		$php('FrequencyLimit::doHandle("the segment is made", 1, 1, 1);');
		$clock->step_wall($step * 1_000_000);
		same([true, true, true, false, false, false], $php('
			$limiter = new FrequencyLimit\Limiter("l", FrequencyLimit\Limit::calendar(3, FrequencyLimit\Period::' . $period . '));
			$at = time() + ' . $ahead . ';
			return array_map(fn () => $limiter->reserve(1, $at)->accepted, range(1, 6));'), "$period, stepped by $step s");
		same([false, true], $php('
			$limiter = new FrequencyLimit\Limiter("l", [FrequencyLimit\Limit::slidingLog(100, 5), FrequencyLimit\Limit::calendar(1, FrequencyLimit\Period::' . $period . ')]);
			$at = time() + ' . $ahead . ';
			$limiter->reserve(2, $at);
			return [$limiter->reserve(2, $at)->accepted, $limiter->peek(3)->accepted];'), "$period, with a log, stepped by $step s");
	}
}

/* The limiter counted by the clock's minute; now it does not, and has no need of the wall clock. */
$clock = new SimClock();
$php = new SimPhp($clock, ['date.timezone' => 'UTC']);
$php('(new FrequencyLimit\Limiter("deployed", FrequencyLimit\Limit::calendar(5, FrequencyLimit\Period::Minute)))->consume(1);');
foreach (['fixedWindow(5, 1)', 'tokenBucket(5, 1)'] as $limit) {
	$clock->advance(86_400_000_000);
	same(false, $php('return (new FrequencyLimit\Limiter("deployed", FrequencyLimit\Limit::' . $limit . '))->reset(1);'), "a day later: $limit");
}
done();
?>
--EXPECT--
done
