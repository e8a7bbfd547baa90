--TEST--
Every way to call a limited function enforces its limit, with opcache's tracing JIT, cold and hot
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

foreach ([300, 2000] as $calls) {
	$found = play(['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '64M'] + OPCACHE, $calls);
	same(true, $found['cached'], 'it came through opcache');
	same(true, $found['jit'], 'and its JIT');
}
/* Compiled at the first call. */
play(['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '64M', 'opcache.jit_hot_func' => '1', 'opcache.jit_hot_loop' => '1',
	'opcache.jit_hot_return' => '1', 'opcache.jit_hot_side_exit' => '1'] + OPCACHE);

done();
?>
--EXPECT--
done
