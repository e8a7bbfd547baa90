--TEST--
A worker killed on its way through what a killed worker left: at most two permits are lost, and nobody waits
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
	survives($scenario, 'twice');
}
done();
?>
--EXPECT--
done
