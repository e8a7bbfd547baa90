--TEST--
The README's table of settings is ini_get_all('ratelimit'): names, defaults and where each may be set
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

preg_match_all('/^\| `(ratelimit\.\w+)` \| (?:`(.*?)`)? ?\| (.*?) \| /m', readme(), $rows, PREG_SET_ORDER);
$told = [];
foreach ($rows as [, $name, $default, $where]) {
	$told[$name] = [$default, $where];
}

$real = [];
foreach (ini_get_all('ratelimit') as $name => $setting) {
	$real[$name] = [(string) $setting['global_value'], match ($setting['access']) {
		INI_ALL => 'anywhere',
		INI_SYSTEM => 'php.ini',
		INI_SYSTEM | INI_PERDIR => 'php.ini or .user.ini',
	}];
}

ksort($told);
ksort($real);
foreach ($told + $real as $name => $_) {
	same($real[$name] ?? null, $told[$name] ?? null, $name);
}

done();
?>
--EXPECT--
done
