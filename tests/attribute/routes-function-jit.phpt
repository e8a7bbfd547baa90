--TEST--
Every way to call a limited function enforces its limit, with opcache's function JIT
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . "/matrix.inc";
needs_jit();
?>
--FILE--
<?php
require __DIR__ . '/matrix.inc';

$found = play(['opcache.jit' => '1205', 'opcache.jit_buffer_size' => '64M'] + OPCACHE);
same(true, $found['cached'], 'it came through opcache');
same(true, $found['jit'], 'and its JIT');

done();
?>
--EXPECT--
done
