--TEST--
Scheduled messages: 1 a minute, 5 an hour, 10 a day, in any order and across midnight (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
$store = test_store('embedded');
scheduled_messages($store);
done();
?>
--EXPECT--
done
