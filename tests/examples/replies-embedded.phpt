--TEST--
5 replies pass a minute; the sixth throws ActionThresholdOverflow (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
test_store('embedded');
replies();
done();
?>
--EXPECT--
done
