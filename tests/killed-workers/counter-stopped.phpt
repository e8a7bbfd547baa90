--TEST--
A worker stopped after any instruction of doHandle() delays no other, and exactly the limit passes
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
	check_sweep($scenario, 'hold');
}
done();
?>
--EXPECT--
done
