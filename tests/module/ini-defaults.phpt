--TEST--
The settings are exactly those with the documented defaults
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

/* Asked of a PHP with nothing but the extension, whatever this one was started with. */
[, $json] = run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', 'extension=' . extension_file(), '-r',
	'echo json_encode(ini_get_all("ratelimit", false));']);
$expected = [
	'ratelimit.attributes' => '1',
	'ratelimit.global_class' => '1',
	'ratelimit.enforce' => '1',
	'ratelimit.top' => '1',
	'ratelimit.ipv6_prefix' => '64',
	'ratelimit.limiters' => '',
	'ratelimit.on_failure' => 'local',
	'ratelimit.prefix' => 'act:limit:',
	'ratelimit.shm_path' => '',
	'ratelimit.shm_size' => '32M',
	'ratelimit.store' => 'shm:',
	'ratelimit.testing' => '0',
	'ratelimit.trusted_proxies' => '',
];
foreach (json_decode($json, true) as $name => $value) {
	same($expected[$name] ?? 'no such setting', (string) $value, $name);
	unset($expected[$name]);
}
same([], $expected, 'missing settings');
done();
?>
--EXPECT--
done
