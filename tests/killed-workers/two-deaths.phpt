--TEST--
A worker killed while it helps a killed worker costs at most two permits, and delays no other
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
foreach (['insert', 'running', 'reset', 'several'] as $scenario) {
	check_sweep($scenario, 'twice');
}
done();
?>
--EXPECT--
done
