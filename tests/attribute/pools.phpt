--TEST--
php-fpm: a pool can disable the attribute, but not enable it; its proxies and IPv6 prefix are its own
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/request.inc';

$folder = site_folder('#[FrequencyLimit\AccessLimit(3600, 2)] function page() { return FrequencyLimit\Request::clientAddress(); }
	try { echo page(); } catch (FrequencyLimit\LimitExceeded $e) { $e->result->send(); }');
$pools = [
	'on' => ['pm.max_children' => '1'],
	'off' => ['pm.max_children' => '1', 'php_admin_value[ratelimit.attributes]' => '0'],
	'proxied' => ['pm.max_children' => '1', 'php_admin_value[ratelimit.trusted_proxies]' => '10.0.0.0/8', 'php_admin_value[ratelimit.ipv6_prefix]' => '48'],
	'wanted' => ['pm.max_children' => '1', 'php_admin_value[ratelimit.attributes]' => '1'],
];
$ask = function (Fpm $fpm, string $pool, string $client, string $for = '2001:db8:1:2::3') use ($folder): array {
	[$status, , $body] = $fpm->request(['SCRIPT_FILENAME' => "$folder/index.php", 'SCRIPT_NAME' => '/index.php', 'REQUEST_METHOD' => 'GET',
		'REQUEST_URI' => '/', 'REMOTE_ADDR' => $client, 'HTTP_X_FORWARDED_FOR' => $for], $pool);
	return [$status, $status === 200 ? $body : null];
};

$fpm = new Fpm([], $pools);
foreach ([200, 200, 429] as $i => $status) {
	same($status, $ask($fpm, 'on', '192.0.2.1')[0], "on, request $i");
	same([200, '192.0.2.1'], $ask($fpm, 'off', '192.0.2.1'), "off, request $i");
	same($status, $ask($fpm, 'wanted', '192.0.2.2')[0], "on twice, request $i");
	same([$status, $status === 200 ? '2001:db8:1::/48' : null], $ask($fpm, 'proxied', '10.0.0.1', "2001:db8:1:$i::1"), "behind a proxy, request $i");
}
$fpm->stop();

/* Off for all: no pool has it, and ini_get() shows that to the pool that enables it. */
$fpm = new Fpm(['ratelimit.attributes' => '0'], $pools);
for ($i = 0; $i < 3; $i++) {
	same([200, '192.0.2.1'], $ask($fpm, 'on', '192.0.2.1'), "off for all, request $i");
	same([200, '192.0.2.1'], $ask($fpm, 'wanted', '192.0.2.1'), "though wanted, request $i");
}
same('0', $fpm->answer($fpm->send('return (string) (int) ini_get("ratelimit.attributes");', 'wanted')), 'and ini_get() says so');
done();
?>
--EXPECT--
done
