--TEST--
A worker killed after any instruction of doHandle() delays no other, and loses at most its own permit
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
foreach (['insert', 'running', 'cold', 'roll-over', 'ban', 'reset', 'action-ban', 'action-unban'] as $scenario) {
	check_sweep($scenario, 'kill');
}
done();
?>
--EXPECT--
done
