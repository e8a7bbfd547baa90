--TEST--
The three controllers return the message of an illegal argument (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
test_store('embedded');
bad_arguments();
done();
?>
--EXPECT--
done
