--TEST--
UploadController: two uploads of a user run at the same time, a third is refused (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
test_store('embedded');
uploads_at_once();
done();
?>
--EXPECT--
done
