--TEST--
php-fpm: a restart starts with empty counts
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
$fpm = new Fpm();
$once = 'return FrequencyLimit::doHandle("restart", 1, 3600, 1);';
same([true, false], [$fpm($once), $fpm($once)], 'before');
$fpm->restart();
same([true, false], [$fpm($once), $fpm($once)], 'after a restart');
done();
?>
--EXPECT--
done
