--TEST--
An endless reply costs neither memory nor more than the timeout
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
if (!is_writable('/proc/self/clear_refs')) {
	die('skip the peak of memory cannot be measured here');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';

const HELLO = "*6\r\n\$6\r\nserver\r\n\$5\r\nredis\r\n\$7\r\nversion\r\n\$5\r\n7.0.0\r\n\$4\r\nrole\r\n\$6\r\nmaster\r\n";
$replies = [
	'a bulk of half a gigabyte' => ["\$536870912\r\n", str_repeat('x', 65536)],
	'a line' => ['+', str_repeat('x', 65536)],
	'an error' => ['-ERR ', str_repeat('x', 65536)],
	'an array of a billion' => ["*1000000000\r\n", str_repeat(":1\r\n", 16384)],
	'arrays in arrays' => ['', str_repeat("*1\r\n", 16384)],
	'arrays of all that may be' => ['', str_repeat("*256\r\n:1\r\n", 8192)],
	'one answer after the other' => ['', str_repeat(":1\r\n", 16384)],
];
/* The peak of this process' memory, in kB: hiredis' is not PHP's. */
$peak = function (): int {
	preg_match('/^VmHWM:\s+(\d+)/m', file_get_contents('/proc/self/status'), $found);
	return (int) $found[1];
};
store_options(retry_delay: 1);
foreach ($replies as $what => [$head, $more]) {
	foreach (['the greeting' => '', 'the answer' => HELLO] as $where => $greeting) {
		$socket = temp_folder() . '/endless.sock';
		$server = stream_socket_server("unix://$socket");
		$end = forked(function () use ($server, $greeting, $head, $more) {
			while ($connection = stream_socket_accept($server, 60)) {
				fread($connection, 10000);
				if ($greeting !== '') {
					fwrite($connection, $greeting);
					fread($connection, 100000);
				}
				for (@fwrite($connection, $head), $n = 0; $n < 8192 && @fwrite($connection, $more); $n++) {
				}
				fclose($connection);
			}
		});
		use_store("unix://$socket");
		ini_set('ratelimit.on_failure', 'throw');
		store_options(timeout: 3000);
		file_put_contents('/proc/self/clear_refs', '5');
		$before = $peak();
		$start = stopwatch();
		throws(FrequencyLimit\StoreException::class, ['Redis'], fn () => FrequencyLimit::doHandle('endless', 1, 60, 1), "$what as $where");
		between(0, stopwatch() - $start, 20.0, "$what as $where: seconds");
		/* Nested arrays are the worst: 9 bytes announce 256 elements, for which hiredis allocates 2 kB at once. */
		between(0, $peak() - $before, 24 << 10, "$what as $where: kB");
		$end();
	}
}
done();
?>
--EXPECT--
done
