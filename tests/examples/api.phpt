--TEST--
ApiGateway: each client passes 10 calls a second
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/examples.inc';
each_store('embedded', 'redis');
api_calls();
done();
?>
--EXPECT--
done
