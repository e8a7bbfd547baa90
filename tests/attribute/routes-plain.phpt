--TEST--
Every way to call a limited function enforces its limit: the body does not run, the caller gets the exception
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/matrix.inc';

play();

done();
?>
--EXPECT--
done
