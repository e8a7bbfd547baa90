--TEST--
A shadow limit names the searches that it would refuse, and refuses none (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/searches.inc';
test_store('embedded');
searches_scenario();
done();
?>
--EXPECT--
done
