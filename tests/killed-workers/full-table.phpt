--TEST--
A worker killed or stopped after any instruction of an eviction delays no other, and loses no ban but one that makes room for a ban
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
foreach (['evict', 'evict-word', 'evict-ban', 'ban-full'] as $scenario) {
	check_sweep($scenario, 'kill', ['ratelimit.shm_size' => '1M']);
	check_sweep($scenario, 'hold', ['ratelimit.shm_size' => '1M']);
}
done();
?>
--EXPECT--
done
