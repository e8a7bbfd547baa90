--TEST--
Going past 100 uploads a day bans until a moment, which may be before the window's end (embedded store)
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
