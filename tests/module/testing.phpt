--TEST--
A command-line script switches ratelimit.testing on; a server, and a script with ratelimit.shm_path, cannot
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../attribute/request.inc';
use FrequencyLimit\{Clock, StoreException};

throws(StoreException::class, ['ratelimit.testing is off', 'phpunit.xml'], fn () => Clock::freeze(), 'off');
same('0', ini_set('ratelimit.testing', '1'), 'on');
Clock::freeze(1_900_000_000);
Clock::unfreeze();
FrequencyLimit::flush();
same('1', ini_set('ratelimit.testing', '0'), 'off again');
throws(StoreException::class, ['ratelimit.testing is off'], fn () => FrequencyLimit::flush(), 'flush()');

/* Other processes share the segment of a file: its counts are not emptied. */
$file = temp_folder() . '/segment';
$script = 'var_dump(@ini_set("ratelimit.testing", "1"), error_get_last()["message"] ?? null);';
$run = fn (array $ini, string $script) => shell_exec(implode(' ', array_map(escapeshellarg(...), php_command($ini, ['-r', $script]))) . ' 2>&1');
$output = $run(['ratelimit.shm_path' => $file], $script);
ok(str_contains($output, 'bool(false)') && str_contains($output, 'shares its counts with others') && str_contains($output, '-d ratelimit.shm_path='), "a file: $output");
same('other processes share these', $run(['ratelimit.shm_path' => $file, 'ratelimit.testing' => '1'], 'FrequencyLimit\Clock::freeze();
	try { FrequencyLimit::flush(); } catch (FrequencyLimit\StoreException $e) { echo strstr(strstr($e->getMessage(), "other"), ":", true); }'), 'a file, by php -d: flush()');

/* A server. */
foreach (fpm_binary() === null ? [PhpSite::class] : [PhpSite::class, FpmSite::class] as $class) {
	$site = new $class(site_folder('ini_set("ratelimit.testing", "1"); echo json_encode([ini_get("ratelimit.testing"), ini_get_all("ratelimit")["ratelimit.testing"]["access"]]);'));
	same('["0",4]', $site->get('/')[2], $class);
	$site = new $class(site_folder('echo json_encode([ini_get("ratelimit.testing"), FrequencyLimit\Monitor::stats()["warnings"]]);'), ['ratelimit.testing' => '1']);
	$name = $class === FpmSite::class ? 'fpm-fcgi' : 'cli-server';
	same(['0', ["ratelimit.testing is for tests on the command line, and this PHP is a server ($name); \"0\" is used instead"]],
		json_decode($site->get('/')[2], true), "$class: php.ini");
}
done();
?>
--EXPECT--
done
