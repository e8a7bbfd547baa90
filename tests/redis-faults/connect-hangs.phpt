--TEST--
A Redis with a full backlog costs the connect timeout, by unix socket and by TCP
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/store.inc';

store_options(connect_timeout: 60, retry_delay: 1);
foreach (['unix://' . temp_folder() . '/full.sock' => 'unix://%s', 'tcp://127.0.0.1:0' => 'redis://%s'] as $address => $dsn) {
	$server = stream_socket_server($address, $number, $text, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
		stream_context_create(['socket' => ['backlog' => 1]]));
	$name = stream_socket_get_name($server, false);
	$waiting = [];
	$address = strstr($address, ':', true) . "://$name";
	while (count($waiting) < 50 && $one = @stream_socket_client($address, $number, $text, 0.2)) {
		$waiting[] = $one;
	}
	ok(count($waiting) < 50, "$address: the queue is full");
	use_store(sprintf($dsn, $name));
	foreach (['local' => 'local', 'deny' => 'redis'] as $policy => $store) {
		pause(0.003);
		ini_set('ratelimit.on_failure', $policy);
		$start = stopwatch();
		same($store, FrequencyLimit::check('hangs', $address, 60, 10)->store, "$address, $policy");
		between(0.05, stopwatch() - $start, 3.0, "$address, $policy: seconds");
	}
	ini_set('ratelimit.on_failure', 'throw');
	pause(0.003);
	throws(FrequencyLimit\StoreException::class, ['Redis'], fn () => FrequencyLimit::check('hangs', 1, 60, 10), "$address, throw");
}
done();
?>
--EXPECT--
done
