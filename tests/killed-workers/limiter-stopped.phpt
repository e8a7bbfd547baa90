--TEST--
A worker stopped after any instruction of a limiter's decision delays no other, and exactly the limit passes
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
foreach (['several', 'several-insert', 'sliding-log', 'sliding-window', 'token-bucket', 'fixed-window', 'calendar-window', 'allowed-window', 'attributed-window', 'window-insert', 'word-to-record', 'record-to-word', 'next-base', 'base-before', 'several-ban', 'several-bans', 'ban-word', 'bans-word', 'limiter-reset'] as $scenario) {
	check_sweep($scenario, 'hold');
}
done();
?>
--EXPECT--
done
