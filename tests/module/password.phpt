--TEST--
A store's password appears neither in phpinfo(), --ri, warnings, exceptions nor traces
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

$secret = 'Tr0ub4dor';
$dsns = ["unix://worker:$secret@/nowhere/redis.sock", "unix://:$secret@/nowhere/redis.sock?db=2", "redis://worker:$secret@127.0.0.1:1/0",
	"redis://:$secret@127.0.0.1:1", 'unix://worker:Tr%30ub4dor@/nowhere/redis.sock',
	"redis+cluster://worker:$secret@127.0.0.1:1,127.0.0.1:2",
	"redis+sentinel://worker:$secret@127.0.0.1:1,127.0.0.1:2/main?db=1&sentinel_user=watcher&sentinel_password=$secret"];
foreach ($dsns as $dsn) {
	$ini = ['ratelimit.store' => $dsn, 'ratelimit.on_failure' => 'throw', 'display_errors' => '1', 'display_startup_errors' => '1', 'log_errors' => '0'];
	$texts = [
		'phpinfo()' => run_php('phpinfo();', $ini)[1],
		'--ri' => run_command(php_command($ini, ['--ri', 'ratelimit']))[1],
		'exception' => run_php('try { FrequencyLimit::doHandle("a", 1, 60, 1); } catch (Exception $e) { echo $e; }', $ini)[1],
		'uncaught' => run_php('new FrequencyLimit\Limiter("a", FrequencyLimit\Limit::fixedWindow(1, 1)); FrequencyLimit::check("a", 1, 60, 1);', $ini)[1],
	];
	if (PHP_VERSION_ID >= 80200) {
		$texts['trace'] = run_php('ini_set("zend.exception_ignore_args", 0); ini_set("zend.exception_string_param_max_len", 200);
			try { new FrequencyLimit\Limiter("", FrequencyLimit\Limit::fixedWindow(1, 1), ' . var_export($dsn, true) . '); }
			catch (Exception $e) { echo $e; print_r($e->getTrace()); }', $ini)[1];
		ok(str_contains($texts['trace'], 'SensitiveParameterValue'), "a trace: $texts[trace]");
	}
	foreach ($texts as $where => $text) {
		ok(!str_contains($text, $secret) && !str_contains($text, 'Tr%30ub4dor'), "$where shows the password of $dsn");
	}
	ok(str_contains($texts['phpinfo()'], 'ratelimit.store'), 'phpinfo() shows the setting');
	ok(str_contains($texts['exception'], 'StoreException'), "nothing answers: {$texts['exception']}");
}
/* A DSN that is none is not quoted with its password either. */
foreach (["redis://worker:$secret@host:99999", "redis:/:$secret@host", "unix://worker:$secret@relative", "redis://a:$secret@b@c:x", "rediss:/:$secret@h", "redis+cluster://a:$secret@h/1",
	"redis+sentinel://h/m?sentinel_password=a&$secret", "redis+sentinel://h/m?sentinel_password=$secret@b", "redis://h?sentinel_password=$secret"] as $dsn) {
	[, $text] = run_php(';', ['ratelimit.store' => $dsn, 'display_errors' => '1', 'display_startup_errors' => '1', 'log_errors' => '0']);
	ok(str_contains($text, 'ratelimit.store'), "refused: $dsn: $text");
	ok(!str_contains($text, $secret), "the warning shows the password of $dsn: $text");
}
done();
?>
--EXPECT--
done
