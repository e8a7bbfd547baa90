--TEST--
A worker killed or stopped after any instruction of taking a page from another size: no ban is lost, no other worker waits
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
survives('reassign', 'kill', ['ratelimit.shm_size' => '1M']);
survives('reassign', 'hold', ['ratelimit.shm_size' => '1M']);
done();
?>
--EXPECT--
done
