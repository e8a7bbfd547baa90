--TEST--
Every way to call a limited function: when it is refused its body does not run, and the caller gets the exception
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
