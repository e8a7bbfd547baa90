--TEST--
Settings of the segment are fixed for the process; all others can be set per request
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
foreach (ini_get_all('ratelimit') as $name => $setting) {
	$system = in_array($name, ['ratelimit.shm_size', 'ratelimit.shm_path', 'ratelimit.attributes', 'ratelimit.global_class'], true);
	if ($system) {
		same(INI_SYSTEM, $setting['access'], $name);
		same(false, @ini_set($name, ['ratelimit.shm_path' => '/nowhere', 'ratelimit.attributes' => '0', 'ratelimit.global_class' => '0'][$name] ?? '64M'), "ini_set($name)");
	}
}
/* On the command line alone, see module/testing. */
same(INI_ALL, ini_get_all('ratelimit')['ratelimit.testing']['access'], 'ratelimit.testing');
throws(FrequencyLimit\StoreException::class, ['ratelimit.testing'], fn () => FrequencyLimit\Clock::freeze(), 'freeze() without it');

foreach (['ratelimit.on_failure' => 'deny', 'ratelimit.ipv6_prefix' => '56', 'ratelimit.trusted_proxies' => '10.0.0.0/8, ::1', 'ratelimit.prefix' => 'other:',
	'ratelimit.store' => 'redis://localhost?timeout=250'] as $name => $value) {
	ok(ini_set($name, $value) !== false, "ini_set($name)");
	same($value, ini_get($name), $name);
}
done();
?>
--EXPECT--
done
