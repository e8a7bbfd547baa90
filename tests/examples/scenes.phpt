--TEST--
The three controllers admit 10 comments, 10 likes and 100 uploads, and return the articles' messages
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/examples.inc';
three_scenes(each_store('embedded', 'redis'));
done();
?>
--EXPECT--
done
