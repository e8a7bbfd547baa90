--TEST--
A bad value of a setting is rejected with a reason that names the setting; the old value stays
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

$bad = [
	'ratelimit.store' => ['', 'memcached://localhost', 'redis://', 'redis://host:99999', 'redis://host/x', 'unix://', 'unix://relative.sock', 'shm', 'http://host', 'shm:?timeout=5',
		'redis://host?timeout=0', 'redis://host?connect_timeout=60001', 'redis://host?retry_delay=never', 'redis://host?deny_cache=Window', 'redis://host?lease=1',
		'redis://host?spin=1'],
	'ratelimit.on_failure' => ['', 'open', 'LOCAL ', '1'],
	'ratelimit.prefix' => [str_repeat('p', 129)],
	'ratelimit.shm_path' => ['relative', './x'],
	'ratelimit.ipv6_prefix' => ['', '0', '129', '-1', '64 bits', '/64'],
	'ratelimit.trusted_proxies' => ['proxy.example', '10.0.0.0/33', '10.0.0.0/', '10.0.0/8', '::1/129', '2001:db8::/x', '10.0.0.1:80', '[::1]', 'fe80::1%eth0', '10.0.0.1;10.0.0.2'],
	'ratelimit.attributes' => ['maybe', '2', 'on please', '-'],
	'ratelimit.testing' => ['maybe', '01'],
	'ratelimit.shm_size' => ['0', '-1', '1023K', '32X', 'lots', '17G'],
];
foreach ($bad as $name => $values) {
	foreach ($values as $value) {
		/* At start-up: PHP starts with the default. */
		[$exit, $output] = run_php('echo "|", ini_get("' . $name . '"), "|", (int) FrequencyLimit::doHandle("a", 1, 60, 1);',
			[$name => $value, 'ratelimit.testing' => $name === 'ratelimit.testing' ? $value : '1', 'display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0']);
		same(0, $exit, "$name=$value: exit code");
		ok(preg_match('/Warning: .*' . preg_quote($name, '/') . '/', $output) === 1, "$name=$value: a warning names it: $output");
		ok(preg_match('/\|' . preg_quote($name === 'ratelimit.shm_path' ? '' : ini_get($name), '/') . '\|1$/', $output) === 1, "$name=$value: the default stays: $output");

		/* And while it runs. */
		if (ini_get_all('ratelimit')[$name]['access'] & INI_USER) {
			$warnings = [];
			set_error_handler(function ($level, $text) use (&$warnings) { $warnings[] = $text; return true; });
			$before = ini_get($name);
			same(false, ini_set($name, $value), "ini_set($name, $value)");
			same($before, ini_get($name), "ini_set($name, $value) changes nothing");
			restore_error_handler();
			same(1, count($warnings), "ini_set($name, $value): one warning");
			ok(str_contains($warnings[0] ?? '', $name), "it names the setting: " . ($warnings[0] ?? ''));
		}
	}
}
/* PHP's spellings of on and off are accepted. */
foreach (['1', 'on', 'On', 'yes', 'true', '0', 'off', 'no', 'false', ''] as $value) {
	[$exit, $output] = run_php('echo "|";', ['ratelimit.attributes' => $value, 'ratelimit.testing' => $value, 'display_startup_errors' => '1', 'log_errors' => '0']);
	same([0, '|'], [$exit, $output], "on or off: \"$value\"");
}
done();
?>
--EXPECT--
done
