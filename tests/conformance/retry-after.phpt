--TEST--
After retryAfter the same call passes, one clock step earlier it does not, for every algorithm
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
require __DIR__ . '/retry-after.inc';
?>
--EXPECT--
done
