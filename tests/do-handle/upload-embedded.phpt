--TEST--
The 101st upload of a day starts a ban until a moment, even within the window (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/upload.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
