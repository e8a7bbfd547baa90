--TEST--
The tables of settings match ini_get_all('ratelimit'), and those of a DSN's options have their bounds
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

preg_match_all('/^\| `(ratelimit\.\w+)` \| (?:`(.*?)`)? ?\| (.*?) \| /m', readme('docs/settings.md'), $rows, PREG_SET_ORDER);
$told = [];
foreach ($rows as [, $name, $default, $where]) {
	$told[$name] = [$default, $where];
}

/* Asked of a PHP with nothing but the extension, whatever this one was started with. */
[, $json] = run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', 'extension=' . extension_file(), '-r',
	'echo json_encode(ini_get_all("ratelimit"));']);
$real = [];
foreach (json_decode($json, true) as $name => $setting) {
	$real[$name] = [(string) $setting['global_value'], match ($setting['access']) {
		INI_ALL => 'anywhere',
		INI_SYSTEM => 'php.ini',
		INI_SYSTEM | INI_PERDIR => 'php.ini or .user.ini',
	}];
}

/* This runs on the command line, where a test run may set it for itself. */
same('anywhere', $real['ratelimit.testing'][1], 'ratelimit.testing on the command line');
$real['ratelimit.testing'][1] = 'php.ini';

ksort($told);
ksort($real);
foreach ($told + $real as $name => $_) {
	same($real[$name] ?? null, $told[$name] ?? null, $name);
}

/* The options of a DSN. */
preg_match_all('/^\| `(\w+)` \| `\w+` \| (\d+) to (\d+)(?:, `(\w+)`)? \|/m', readme('docs/settings.md'), $options, PREG_SET_ORDER);
same(['connect_timeout', 'timeout', 'retry_delay', 'deny_cache', 'db'], array_column($options, 1), 'options with a number');
foreach ($options as $option) {
	[, $name, $least, $most, $word] = $option + [4 => $option[2]];
	foreach ([$least => true, $most => true, $least - 1 => false, $most + 1 => false, $word => true] as $value => $valid) {
		same($valid, @ini_set('ratelimit.store', "redis://localhost?$name=$value") !== false, "$name=$value");
	}
}

done();
?>
--EXPECT--
done
