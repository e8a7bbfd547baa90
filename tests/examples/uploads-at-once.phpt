--TEST--
UploadController: two uploads of a user run at the same time, a third is refused
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/examples.inc';
each_store('embedded', 'redis');
uploads_at_once();
done();
?>
--EXPECT--
done
