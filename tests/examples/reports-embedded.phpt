--TEST--
Two reports of a user are made at a time; a place comes free at the end of one, also of one that fails (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/searches.inc';
test_store('embedded');
reports_scenario();
done();
?>
--EXPECT--
done
