--TEST--
A worker killed every 2 ms among eight: nobody waits 10 ms, no limit is exceeded, and no permit is lost without a death
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/stepper.inc';
needs_patience();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/stepper.inc';
$figures = storm('kill', 5);
ok($figures['deaths'] > 20, "enough deaths: {$figures['deaths']}");
done();
?>
--EXPECT--
done
