--TEST--
Every way to call a limited function enforces its limit, with opcache
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . "/matrix.inc";
needs_opcache();
?>
--FILE--
<?php
require __DIR__ . '/matrix.inc';

$found = play(OPCACHE);
same(true, $found['cached'], 'it came through opcache');

done();
?>
--EXPECT--
done
