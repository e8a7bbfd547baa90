--TEST--
php-fpm: a pool's shm_path, shm_size or refused store causes a warning, and php.ini's value stays
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
$fpm = new Fpm(['ratelimit.shm_size' => '1M', 'display_errors' => '0', 'display_startup_errors' => '0', 'log_errors' => '1'], ['www' => [], 'other' => ['php_admin_value[ratelimit.shm_path]' => '/nowhere/segment',
	'php_admin_value[ratelimit.shm_size]' => '2M', 'php_admin_value[ratelimit.store]' => 'redi://localhost']]);
$facts = '$s = FrequencyLimit\Monitor::stats(); return [$s["warnings"], $s["segment"], $s["bytes"], $s["store"], ini_get("ratelimit.shm_path"), ini_get("ratelimit.shm_size")];';
same([[], 'memory', 1 << 20, 'shm:', 'private', '1M'], $fpm($facts), 'the pool without settings of its own');
$answer = $fpm($facts, 'other');
$warnings = array_shift($answer);
same(['memory', 1 << 20, 'shm:', 'private', '1M'], $answer, 'the other pool');
same(3, count($warnings), 'its warnings: ' . json_encode($warnings));
foreach (['ratelimit.shm_path can be set in php.ini only', 'ratelimit.shm_size can be set in php.ini only', 'ratelimit.store must be "shm:" or the DSN of a Redis server'] as $text) {
	ok(count(array_filter($warnings, fn ($warning) => str_starts_with($warning, $text))) === 1, "stats(): $text");
	ok(eventually(fn () => str_contains($fpm->log(), $text)), "the log: $text");
}
done();
?>
--EXPECT--
done
