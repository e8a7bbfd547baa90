--TEST--
Application code that does anything in any callback breaks no call, no limiter and no memory
--SKIPIF--
<?php
if (!function_exists('pcntl_fork') || !function_exists('session_start')) {
	die('skip requires pcntl and session');
}
?>
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/tools.inc';
/* FUZZ_SECONDS makes it longer, with programs that have not been played. FUZZ_SEED repeats the program of a seed. */
$seconds = getenv('FUZZ_SECONDS');
$seed = getenv('FUZZ_SEED');
$argv = [__FILE__, $seconds ?: amount(10, 3), $seed ?: ($seconds ? '' : 1), ...($seed ? [1] : [])];
require __DIR__ . '/../fuzz/callbacks.php';
?>
--EXPECTF--
%d programs
