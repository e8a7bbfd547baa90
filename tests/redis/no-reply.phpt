--TEST--
A Redis that never answers costs at most the timeout, and each on_failure decides as documented
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/policies.inc';
store_options(connect_timeout: 20, timeout: 20, retry_delay: 1);
$socket = temp_folder() . '/silent.sock';
$server = stream_socket_server("unix://$socket", $number, $text, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
	stream_context_create(['socket' => ['backlog' => 1000]]));
/* How many have come since this was asked last. */
$attempts = function () use ($server): int {
	$n = 0;
	while ($connection = @stream_socket_accept($server, 0)) {
		fclose($connection);
		$n++;
	}
	return $n;
};
use_store("unix://$socket");
each_policy_answers('silence');
$attempts();

ini_set('ratelimit.on_failure', 'deny');
$start = stopwatch();
for ($i = 1; $i <= 20; $i++) {
	pause(0.003); /* past retry_delay */
	FrequencyLimit::doHandle('silent', $i, 60, 1);
}
$took = stopwatch() - $start;
between(1, $attempts(), 20, 'attempts of 20 decisions');
/* 20 of 20 ms each; the rest is for a machine that has other things to do. */
ok($took < 5.0, "20 decisions took $took s");
done();
?>
--EXPECT--
done
