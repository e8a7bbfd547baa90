--TEST--
A wrong shm_path, store or name in php.ini appears in warnings, stats() and phpinfo(), with its replacement
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

/** What a PHP with these settings writes at start-up, counts, and shows. */
$run = function (array $ini): array {
	[$exit, $text] = run_php('$calls = [];
		foreach ([1, 1] as $number) {
			try {
				$calls[] = FrequencyLimit::doHandle("wrong", 1, 60, $number);
			} catch (FrequencyLimit\StoreException $e) {
				$calls[] = get_class($e);
			}
		}
		$stats = FrequencyLimit\Monitor::stats();
		ob_start();
		(new ReflectionExtension("ratelimit"))->info();
		$info = ob_get_clean();
		echo "|", json_encode([$calls, $stats["segment"], $stats["store"], $stats["warnings"], $info]);',
		$ini + ['ratelimit.shm_size' => '1M', 'display_errors' => '1', 'display_startup_errors' => '1', 'log_errors' => '0', 'html_errors' => '0']);
	same(0, $exit, 'exit code');
	[$startup, $json] = explode('|', $text, 2);
	return [$startup, ...json_decode($json, true)];
};
$expect = function (array $ini, array $calls, string $segment, array $warnings, string $what) use ($run): void {
	[$startup, $got, $kind, $store, $list, $info] = $run($ini);
	same([$calls, $segment, 'shm:'], [$got, $kind, $store], $what);
	same(count($warnings), count($list), "$what: stats()['warnings']: " . json_encode($list));
	foreach ($warnings as $i => $parts) {
		foreach ($parts as $part) {
			ok(str_contains($list[$i], $part), "$what: \"$list[$i]\" has \"$part\"");
		}
		ok(str_contains($startup, "Warning: $list[$i]"), "$what: at start-up: $startup");
		ok(str_contains($info, "Warning => $list[$i]"), "$what: in phpinfo()");
	}
};
$folder = temp_folder();
$path = "$folder/nowhere/segment";
$reason = "ratelimit.shm_path $path: No such file or directory";

$expect([], [true, false], 'memory', [], 'no wrong setting');
$expect(['ratelimit.shm_path' => $path], [true, false], 'memory', [[$reason, 'memory without a file instead', 'ratelimit.on_failure=local']], 'local');
file_put_contents("$folder/foreign", 'precious');
chmod("$folder/foreign", 0600);
$expect(['ratelimit.shm_path' => "$folder/foreign"], [true, false], 'memory', [["ratelimit.shm_path $folder/foreign: it has 8 bytes"]], 'a foreign file');
same('precious', file_get_contents("$folder/foreign"), 'is left as it was');
/* Other policies decide themselves. */
$expect(['ratelimit.shm_path' => $path, 'ratelimit.on_failure' => 'deny'], [false, false], 'none', [[$reason, 'All calls are refused', 'ratelimit.on_failure=deny']], 'deny');
$expect(['ratelimit.shm_path' => $path, 'ratelimit.on_failure' => 'allow'], [true, true], 'none', [[$reason, 'All calls pass', 'ratelimit.on_failure=allow']], 'allow');
$expect(['ratelimit.shm_path' => $path, 'ratelimit.on_failure' => 'throw'], ['FrequencyLimit\StoreException', 'FrequencyLimit\StoreException'], 'none',
	[[$reason, 'Each call throws a FrequencyLimit\StoreException', 'ratelimit.on_failure=throw']], 'throw');

$expect(['ratelimit.store' => 'redi://localhost'], [true, false], 'memory', [['ratelimit.store must be "shm:" or the DSN of a Redis server', '"shm:" is used instead, so limits hold on this machine only']], 'a typo in the store');
$expect(['ratelimit.store' => 'redis://localhost?timeout=fast'], [true, false], 'memory', [['ratelimit.store must be', 'the option "timeout" must be between 1 and 60000 milliseconds', '"shm:" is used instead']], 'an option of the store');
$expect(['ratelimit.store' => 'redis://localhost?deny_cache=off'], [true, false], 'memory', [['the option "deny_cache" must be between 0 and 3600000 milliseconds, or "window", "off" given']], 'as php.ini has it');
$expect(['ratelimit.ipv6_prefix' => 'all'], [true, false], 'memory', [['ratelimit.ipv6_prefix must be between 1 and 128 bits, "all" given; "64" is used instead']], 'another setting');
foreach (['connect_timeout', 'timeout', 'retry_delay', 'deny_cache', 'lease'] as $option) {
	$expect(["ratelimit.$option" => '5'], [true, false], 'memory', [["ratelimit.$option is no setting of ratelimit and has no effect; write it as an option of the DSN in ratelimit.store"]], $option);
}
$expect(['ratelimit.timout' => '5'], [true, false], 'memory', [['ratelimit.timout is no setting of ratelimit and has no effect; phpinfo() lists the settings']], 'a name that is none');
$expect(['ratelimit.trusted_proxies' => '10.0.0.1, 0.0.0.0/0'], [true, false], 'memory', [['ratelimit.trusted_proxies trusts every address']], 'every IPv4 address is a proxy');
$expect(['ratelimit.trusted_proxies' => '::/0'], [true, false], 'memory', [['ratelimit.trusted_proxies trusts every address']], 'every IPv6 address is');
$expect(['ratelimit.trusted_proxies' => '10.0.0.0/8, ::1, ::ffff:10.0.0.0/104'], [true, false], 'memory', [], 'some are');
$expect(['ratelimit.prefix' => ''], [true, false], 'memory', [], 'no prefix, and no Redis');
same(['ratelimit.prefix is empty, so the keys on Redis may be those of another application; set one that is this application\'s own'],
	json_decode(explode('|', run_php('echo "|", json_encode(FrequencyLimit\Monitor::stats()["warnings"]);', ['ratelimit.prefix' => '', 'ratelimit.store' => 'redis://localhost'])[1])[1], true), 'no prefix on Redis');

/* A script's ini_set() gets its warning and false; the list is about the configuration. */
ini_set('ratelimit.trusted_proxies', '0.0.0.0/0');
same([false, []], [@ini_set('ratelimit.store', 'redi://localhost'), FrequencyLimit\Monitor::stats()['warnings']], 'ini_set()');
done();
?>
--EXPECT--
done
