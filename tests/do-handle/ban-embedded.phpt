--TEST--
A ban of an action by hand, its end and unban(); a look at isActionAllowed() (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/ban.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
