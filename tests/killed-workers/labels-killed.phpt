--TEST--
A worker killed or stopped after any instruction of by() or costs for each limit loses its own permit at most
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/stepper.inc';
needs_stepper();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/stepper.inc';
foreach (['costs', 'labels', 'labels-refused', 'labels-begun'] as $scenario) {
	check_sweep($scenario, 'kill');
	check_sweep($scenario, 'hold');
}
check_sweep('labels', 'twice');
check_sweep('labels-begun', 'twice');
done();
?>
--EXPECT--
done
