--TEST--
A worker killed or stopped at any instruction of a page reassignment loses no ban and delays no other worker
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
check_sweep('reassign', 'kill', ['ratelimit.shm_size' => '1M']);
check_sweep('reassign', 'hold', ['ratelimit.shm_size' => '1M']);
done();
?>
--EXPECT--
done
