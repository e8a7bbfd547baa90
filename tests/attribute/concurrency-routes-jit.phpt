--TEST--
Every way to call a function with #[ConcurrencyLimit] or #[RateLimit] holds its place, with opcache and each of its JITs
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . "/matrix.inc";
needs_jit();
?>
--FILE--
<?php
require __DIR__ . '/concurrency-routes.inc';

$found = play_concurrency(OPCACHE);
same([true, false], [$found['cached'], $found['jit']], 'it came through opcache');
foreach (['1205', 'tracing'] as $jit) {
	$found = play_concurrency(['opcache.jit' => $jit, 'opcache.jit_buffer_size' => '64M', 'opcache.jit_hot_func' => '2', 'opcache.jit_hot_loop' => '2'] + OPCACHE);
	same([true, true], [$found['cached'], $found['jit']], "it came through the JIT $jit");
}

done();
?>
--EXPECT--
done
