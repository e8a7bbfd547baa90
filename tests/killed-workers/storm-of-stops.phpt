--TEST--
A 2 ms stop, again and again, among eight workers delays no other for 10 ms, and exactly the limit passes
--EXTENSIONS--
ratelimit
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/stepper.inc';
$figures = storm('stop', amount(5, 1));
ok($figures["stops"] > amount(20, 5), "enough stops: {$figures['stops']}");
done();
?>
--EXPECT--
done
