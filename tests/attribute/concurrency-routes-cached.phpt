--TEST--
Every way to call a function with #[ConcurrencyLimit] or #[RateLimit] holds its place, preloaded or from a file cache
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/matrix.inc';
needs_opcache();
?>
--FILE--
<?php
require __DIR__ . '/concurrency-routes.inc';

foreach (['ConcurrencyLimit', 'RateLimit'] as $class) {
	$routes = concurrency_routes($class);
	$ini = ['opcache.preload' => "$routes/routes.inc"] + OPCACHE;
	if (is_root()) {
		$ini['opcache.preload_user'] = 'root';
	}
	same(true, play_concurrency($ini, 'on', $routes)['cached'], 'preloaded');

	$folder = temp_folder();
	$ini = ['opcache.file_cache' => $folder] + OPCACHE;
	for ($i = 0; $i < 2; $i++) {
		same(true, play_concurrency($ini, 'on', $routes)['cached'], 'it came through opcache');
	}
	play_concurrency($ini + ['opcache.file_cache_only' => '1'], 'on', $routes);
	/* With attributes=0 the cached code, which has the calls, is not used. */
	play_concurrency($ini + ['ratelimit.attributes' => '0'], 'off', $routes);
	play_concurrency($ini, 'on', $routes);
	same(2, count(glob("$folder/*")), 'with the calls, and without');
}

done();
?>
--EXPECT--
done
