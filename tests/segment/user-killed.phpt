--TEST--
A process killed or stopped after any instruction of its first use blocks no other, and exactly the limit passes
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
require __DIR__ . '/../include/stepper.inc';
needs_apart();
needs_stepper();
?>
--FILE--
<?php
require __DIR__ . '/user.inc';
require __DIR__ . '/../include/stepper.inc';
run_apart(__FILE__);
foreach (['first-use', 'first-use-again', 'first-use-without-ticket', 'first-use-without-segment'] as $scenario) {
	foreach (['kill', 'hold'] as $how) {
		$report = sweep($scenario, $how, amount(3.0, 0.2), ['ratelimit.testing' => '0']);
		ok($report->points > 10 && $report->latest > 500, "$scenario, $how: enough points: $report");
		same([], $report->blocked, "$scenario, $how: blocked");
		same([], $report->broken, "$scenario, $how: wrong");
	}
}
done();
?>
--EXPECT--
done
