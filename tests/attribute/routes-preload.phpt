--TEST--
Every way to call a limited function enforces its limit, with preloading
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

$ini = ['opcache.preload' => __DIR__ . '/routes.inc'] + OPCACHE;
if (is_root()) {
	$ini['opcache.preload_user'] = 'root';
}
play($ini);
if (has_jit()) {
	play(['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '64M'] + $ini);
}

done();
?>
--EXPECT--
done
