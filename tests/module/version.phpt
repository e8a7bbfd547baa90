--TEST--
PHP reports the version of the header file
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
preg_match('/PHP_RATELIMIT_VERSION "([^"]+)"/', file_get_contents(__DIR__ . '/../../php_ratelimit.h'), $found);
same($found[1], phpversion('ratelimit'), 'phpversion()');
ok((bool) preg_match('/^\d+\.\d+\.\d+/', $found[1]), 'three numbers');
done();
?>
--EXPECT--
done
