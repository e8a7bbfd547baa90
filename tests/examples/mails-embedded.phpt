--TEST--
MailQueue: a domain gets five mails at once, then one every two seconds (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
test_store('embedded');
mails();
done();
?>
--EXPECT--
done
