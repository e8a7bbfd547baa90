--TEST--
Application code that does anything in any callback of a web request breaks no later request of its worker
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
needs_readable_checkout();
if (!function_exists('session_start')) {
	die('skip requires session');
}
?>
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/tools.inc';
/* FUZZ_SECONDS and FUZZ_SEED as in random-callbacks.phpt. */
$seconds = getenv('FUZZ_SECONDS');
$seed = getenv('FUZZ_SEED');
$argv = [__FILE__, $seconds ?: amount(10, 3), $seed ?: ($seconds ? '' : 1), $seed ? 1 : PHP_INT_MAX >> 1, 'requests'];
require __DIR__ . '/../fuzz/callbacks.php';
?>
--EXPECTF--
%d programs
