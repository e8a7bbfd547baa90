--TEST--
Parallel calls of a tenant's users pass exactly to the limits, and a refused call leaves no charge (embedded store)
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
require __DIR__ . '/labels.inc';
done();
?>
--EXPECT--
done
