--TEST--
TLS trusts only a server with the right certificate and name, and reports the reason within the timeout
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/tls.inc';
needs_tls_server();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/tls.inc';
store_options(connect_timeout: 20000, timeout: 20000, retry_delay: 1);

use FrequencyLimit\{InvalidArgument, Limit, Limiter, StoreException};

if (!has_tls()) {
	/* A build without OpenSSL takes no such DSN, and says why. */
	throws(InvalidArgument::class, ['does not support TLS'], fn () => new Limiter('t', Limit::fixedWindow(1, 1), 'rediss://localhost'), 'rediss://');
	throws(InvalidArgument::class, ['does not support TLS'], fn () => new Limiter('t', Limit::fixedWindow(1, 1), 'redis+cluster://h?tls=1'), 'tls=1');
	done();
	exit;
}

$certificates = new Certificates();
[$port, $redis] = $certificates->server();
$ca = 'ca=' . $certificates->file('ca');
$ask = fn (string $dsn) => (new Limiter('t', Limit::fixedWindow(10000, 3600), with_store_options($dsn)))->consume('x')->store;
$refused = function (string $dsn, string $part, string $what) use ($ask): void {
	$start = stopwatch();
	throws(StoreException::class, [$part], fn () => $ask($dsn), $what);
	between(0, stopwatch() - $start, 10.0, "$what: seconds");
};

same('redis', $ask("rediss://127.0.0.1:$port?$ca"), 'an address that the certificate names');
/* Some containers cannot resolve the name. */
$localhost = gethostbyname('localhost') === '127.0.0.1' ? 'localhost' : '127.0.0.1';
same('redis', $ask("rediss://$localhost:$port/3?$ca"), 'a name that it names, and a database');
same('redis', $ask("redis://$localhost:$port?tls=1&$ca"), 'redis:// with tls=1');
same('redis', $ask("rediss://127.0.0.1:$port?$ca&verify_name=redis.example"), 'another name that it names');
same('redis', $ask("rediss://127.0.0.1:$port?verify=0"), 'anybody, if asked for');
same('redis', $ask("rediss://127.0.0.1:$port?verify=0&verify_name=wrong.example"), 'whatever the name');
$refused("rediss://127.0.0.1:$port?$ca&verify_name=wrong.example", 'ostname mismatch', 'a name that it does not name');
$refused("rediss://127.0.0.1:$port?$ca&verify_name=127.0.0.2", 'IP address mismatch', 'an address that it does not name');
$refused("rediss://127.0.0.1:$port?ca=" . $certificates->file('other-ca'), "the server's certificate: ", 'another authority');
$refused("rediss://127.0.0.1:$port", "the server's certificate: ", 'the authorities of the system');
$refused("rediss://127.0.0.1:$port?ca=/nowhere/ca.pem", 'the CA /nowhere/ca.pem: No such file or directory', 'a file that is not there');
$refused("rediss://127.0.0.1:$port?$ca&cert=" . $certificates->file('ca-key'), 'the certificate ', 'a certificate that is none');
$refused("rediss://127.0.0.1:$port?$ca&cert=" . $certificates->file('client') . '&key=' . $certificates->file('ca-key'), 'the key ', 'another one\'s key');
store_options(connect_timeout: 2000); /* it waits for more of a request, and says nothing */
$refused("rediss://127.0.0.1:{$redis->port}?$ca", 'TLS: ', 'a server that speaks no TLS');
store_options(connect_timeout: 20000);
$refused("redis://127.0.0.1:$port", 'Redis at ', 'a server that speaks TLS only');

/* The certificate of the client. */
[$strict_port, $strict] = $certificates->server('yes');
$client = '&cert=' . $certificates->file('client') . '&key=' . $certificates->file('client-key');
same('redis', $ask("rediss://127.0.0.1:$strict_port?$ca$client"), 'a client with its certificate');
$refused("rediss://127.0.0.1:$strict_port?$ca", 'certificate required', 'a client without one');
/* A configuration error, not an unavailable server: deny reports it, too. */
ini_set('ratelimit.on_failure', 'deny');
$refused("rediss://127.0.0.1:$strict_port?$ca", 'certificate required', 'on_failure=deny');
ini_set('ratelimit.on_failure', 'throw');
/* Certificates that are renewed while we run are read again. */
$swapped = $certificates->file('swapped');
copy($certificates->file('other-ca'), $swapped);
$refused("rediss://127.0.0.1:$port?ca=$swapped", "the server's certificate: ", 'the old authority');
copy($certificates->file('ca'), $swapped);
pause(0.002);
same('redis', $ask("rediss://127.0.0.1:$port?ca=$swapped"), 'the new one, in the same file');

/* More than a record of TLS holds, both ways; one connection for all of it. */
$dsn = "rediss://127.0.0.1:$port?$ca";
$limiter = new Limiter('many', Limit::slidingLog(5, 3600), with_store_options($dsn));
same(1000, count(array_filter($limiter->consumeMany(range(1, 1000)), fn ($r) => $r->remaining === 4)), 'a thousand at once');
$before = $redis->info('stats')['total_connections_received'];
for ($i = 0; $i < 100; $i++) {
	same('redis', $ask($dsn), "decision $i");
}
same($before, $redis->info('stats')['total_connections_received'], 'a connection is kept');

/* A forked child speaks for itself, and its parent's connection is as it was. */
same(['redis', 'redis'], in_processes(2, fn () => $ask($dsn)), 'children');
same('redis', $ask($dsn), 'the parent');
same(2, $redis->info('stats')['total_connections_received'] - $before, 'a connection for each child');

/* A killed server, and a silent one. */
$redis('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
same('redis', $ask($dsn), 'after the connection was cut');
store_options(connect_timeout: 100, timeout: 100);
$redis->signal(19);
$refused($dsn, 'no answer within 100 ms', 'a server that is stopped');
pause(0.002);
$refused($dsn, 'TLS: no handshake within', 'a new connection to it');
$redis->signal(18);
done();
?>
--EXPECT--
done
