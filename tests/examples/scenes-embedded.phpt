--TEST--
The three controllers admit 10 comments, 10 likes and 100 uploads, and return the articles' messages (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
$store = test_store('embedded');
three_scenes($store);
done();
?>
--EXPECT--
done
