--TEST--
isActionAllowed() counts every admitted call, however close, and no refused one (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/traces.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
