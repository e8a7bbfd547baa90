--TEST--
Without a Redis server each on_failure decides as documented
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/policies.inc';
store_options(retry_delay: 1);
use_store('unix:///nowhere/redis.sock');
each_policy_answers('no socket');

/* A port without a listener, which no other process can take. */
$server = stream_socket_server('tcp://127.0.0.1:0', $number, $text, STREAM_SERVER_BIND);
$port = substr(strrchr(stream_socket_get_name($server, false), ':'), 1);
use_store("redis://127.0.0.1:$port");
each_policy_answers('a closed port');
done();
?>
--EXPECT--
done
