--TEST--
A kill every 2 ms among eight workers delays no other for 10 ms, and exceeds no limit
--EXTENSIONS--
ratelimit
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/stepper.inc';
$figures = storm('kill', amount(5, 1));
ok($figures["deaths"] > amount(20, 5), "enough deaths: {$figures['deaths']}");
done();
?>
--EXPECT--
done
