--TEST--
A server that is not Redis never causes a decision from its replies
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/policies.inc';
store_options(connect_timeout: 2000, timeout: 2000, retry_delay: 1);
/* Of all memory that the process ever asked for, PHP's and hiredis'. */
$peak_kb = fn () => (int) preg_replace('/.*^VmPeak:\s+(\d+).*/ms', '$1', file_get_contents('/proc/self/status'));
$before_kb = $peak_kb();
$answers = [
	'HTTP' => "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", 'noise' => random_bytes(500), 'a zero' => ":0\r\n", 'OK' => "+OK\r\n+OK\r\n",
	'null' => "*-1\r\n", 'deep' => str_repeat("*1\r\n", 100), 'an array of a billion' => "*1000000000\r\n",
	'the end' => '',
];
$answers['a bulk of half a gigabyte'] = "\$536870912\r\n";
foreach ($answers as $what => $answer) {
	$socket = temp_folder() . '/nonsense.sock';
	$server = stream_socket_server("unix://$socket");
	$end = forked(function () use ($server, $answer) {
		while ($connection = stream_socket_accept($server, 60)) {
			fread($connection, 100);
			fwrite($connection, $answer);
			/* Closed, or left open with the rest of the answer to come. */
			stream_socket_shutdown($connection, STREAM_SHUT_WR);
		}
	});
	use_store("unix://$socket");
	ini_set('ratelimit.on_failure', 'throw');
	throws(FrequencyLimit\StoreException::class, ['Redis'], fn () => FrequencyLimit::doHandle('nonsense', 1, 60, 1), $what);
	ini_set('ratelimit.on_failure', 'local');
	same('local', FrequencyLimit::check('nonsense', $what, 60, 1)->store, "$what: the policy answers");
	ok($peak_kb() - $before_kb < 64 << 10, "$what: memory");
	$end();
}

/* The nonce alone is an admission for doHandle(), and no answer to a question about more. */
$socket = temp_folder() . '/nonce.sock';
$server = stream_socket_server("unix://$socket");
$end = forked(function () use ($server) {
	while ($connection = stream_socket_accept($server, 60)) {
		while (($request = (string) fread($connection, 8192)) !== '') {
			for ($at = strpos($request, "\r\n") + 2; $at < strlen($request); $at = $begin + $bytes + 2) {
				$bytes = (int) substr($request, $at + 1);
				$begin = strpos($request, "\r\n", $at) + 2;
			}
			fwrite($connection, str_contains($request, 'HELLO') ? "*4\r\n\$7\r\nversion\r\n\$5\r\n7.0.0\r\n\$4\r\nrole\r\n\$6\r\nmaster\r\n"
				: (str_contains($request, 'stale') ? "\$38\r\n" . substr($request, $begin, 6) . substr(pack('P', 1_800_000_000_000_000), 0, 7) . "\n" . str_repeat("\0", 24)
				: (preg_match('/grants(\d)waits(\d)/', $request, $permit) ? "\$50\r\n" . substr($request, $begin, 6) . substr(pack('P', 1_800_000_000_000_000), 0, 7)
					. str_repeat("\0", 25) . substr(pack('P', $permit[1]), 0, 5) . substr(pack('P', $permit[2]), 0, 7)
				: "\$16\r\n" . substr($request, $begin, 6) . "\0\0\0" . substr(pack('P', 60_000), 0, 7))) . "\r\n");
		}
	}
});
use_store("unix://$socket");
ini_set('ratelimit.on_failure', 'throw');
same(true, FrequencyLimit::doHandle('nonce', 1, 60, 1), 'the verdict');
throws(FrequencyLimit\StoreException::class, ['no answer'], fn () => FrequencyLimit::check('nonce', 2, 60, 1), 'a question about what is left');
throws(FrequencyLimit\StoreException::class, ['no answer'], fn () => (new FrequencyLimit\Limiter('nonce', FrequencyLimit\Limit::fixedWindow(1, 60)))->consume(1),
	'a question to a limiter');
pause(0.01); // else the breaker answers by the failures above
throws(FrequencyLimit\StoreException::class, ['no answer'], fn () => FrequencyLimit::check('stale', 1, 60, 1), "calendar boundaries, which a counter has not");
pause(0.01);
$permit = fn (string $name) => (new FrequencyLimit\Limiter($name, FrequencyLimit\Limit::fixedWindow(9, 60)))->consume(1, 1, leave: 1);
same(1, $permit('grants1waits0')->granted, 'as much as was asked for');
foreach (['grants2waits0', 'grants1waits5'] as $name) {
	throws(FrequencyLimit\StoreException::class, ['no answer'], fn () => $permit($name), "$name: more than was asked for");
	pause(0.01);
}
throws(FrequencyLimit\StoreException::class, ['SCAN is no page of keys'], fn () => FrequencyLimit\Monitor::scan(), 'a page of keys');
$end();

/* A node's name goes to the log. */
$server = stream_socket_server('tcp://127.0.0.1:0');
$end = forked(function () use ($server) {
	$name = "evil\n[forged] \x1b[31m";
	while ($connection = stream_socket_accept($server, 60)) {
		while (($request = (string) fread($connection, 8192)) !== '') {
			fwrite($connection, str_contains($request, 'HELLO') ? "*4\r\n\$7\r\nversion\r\n\$5\r\n7.0.0\r\n\$4\r\nrole\r\n\$6\r\nmaster\r\n"
				: (str_contains($request, 'SLOTS') ? "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n\$" . strlen($name) . "\r\n$name\r\n:7000\r\n\$1\r\na\r\n" : "-ERR no\r\n"));
		}
	}
});
ini_set('error_log', $log = temp_folder() . '/log');
ini_set('ratelimit.on_failure', 'local');
use_store('redis+cluster://' . stream_socket_get_name($server, false));
for ($i = 0; $i < 4; $i++) {
	FrequencyLimit::check('name', 1, 60, 5);
	pause(0.12);
}
$logged = (string) @file_get_contents($log);
ok(str_contains($logged, 'evil') && preg_match('/^\[forged\]|\x1b/m', $logged) === 0, "one line: $logged");
$end();
done();
?>
--EXPECT--
done
