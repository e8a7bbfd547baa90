--TEST--
TLS protects the connections to all cluster nodes, to Sentinels and to their master
--EXTENSIONS--
ratelimit
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
store_options(connect_timeout: 2000, timeout: 2000);

use FrequencyLimit\{Limit, Limiter};

if (!has_tls()) {
	done();
	exit;
}
$certificates = new Certificates();
$options = '?tls=1&ca=' . $certificates->file('ca');

/* A cluster with TLS between its nodes, too. */
$ports = [free_port(), free_port()];
$nodes = array_map(fn ($port) => new RedisNode(['--cluster-enabled', 'yes', '--tls-cluster', 'yes', ...$certificates->options($port, 'no')]), $ports);
foreach ($nodes as $i => $node) {
	$node('CLUSTER', 'ADDSLOTS', ...range($i * 8192, $i * 8192 + 8191));
	$node('CLUSTER', 'SET-CONFIG-EPOCH', $i + 1);
}
$nodes[0]('CLUSTER', 'MEET', '127.0.0.1', $ports[1]);
foreach ($nodes as $node) {
	ok(eventually(fn () => str_contains($node('CLUSTER', 'INFO'), 'cluster_state:ok')), 'the cluster comes up');
}
$limiter = new Limiter('c', Limit::fixedWindow(10, 3600), with_store_options("redis+cluster://127.0.0.1:$ports[0]$options"));
same(100, count(array_filter($limiter->consumeMany(range(1, 100)), fn ($r) => $r->store === 'redis' && $r->remaining === 9)), 'over all nodes');
foreach ($nodes as $i => $node) {
	between(1, $node('DBSIZE'), 99, "keys of node $i");
}

/* A sentinel that is spoken to by TLS, and speaks TLS itself. */
$port = free_port();
$master = new RedisNode([...$certificates->options($port), '--tls-replication', 'yes']);
$folder = temp_folder();
$sentinel_port = free_port();
file_put_contents("$folder/sentinel.conf", "sentinel monitor main 127.0.0.1 $port 1\n");
$sentinel = new RedisServer(['--bind', '127.0.0.1', ...$certificates->options($sentinel_port), '--tls-replication', 'yes'], sentinel: "$folder/sentinel.conf");
$limiter = new Limiter('s', Limit::fixedWindow(10, 3600), with_store_options("redis+sentinel://127.0.0.1:$sentinel_port/main$options"));
same(9, $limiter->consume('x')->remaining, 'the master that the sentinel names');
same(8, $limiter->consume('x')->remaining, 'again');
same(1, $master('DBSIZE'), 'it counted');

/* A client's certificate that was renewed is read again, also where sentinels were the first to reject the old one. */
$port = free_port();
$master = new RedisNode([...$certificates->options($port, 'yes'), '--tls-replication', 'yes']);
$folder = temp_folder();
$sentinel_port = free_port();
file_put_contents("$folder/sentinel.conf", "sentinel monitor main 127.0.0.1 $port 1\n");
$sentinel = new RedisServer(['--bind', '127.0.0.1', ...$certificates->options($sentinel_port, 'yes'), '--tls-replication', 'yes'], sentinel: "$folder/sentinel.conf");
$renew = fn (string $name) => copy($certificates->file($name), "$folder/renewed.pem") && copy($certificates->file("$name-key"), "$folder/renewed-key.pem");
$renewed = "redis+sentinel://127.0.0.1:$sentinel_port/main$options&cert=$folder/renewed.pem&key=$folder/renewed-key.pem";
$limiter = new Limiter('r', Limit::fixedWindow(10, 3600), with_store_options($renewed));
$renew('other-ca');
ini_set('ratelimit.on_failure', 'deny');
throws(FrequencyLimit\StoreException::class, ['alert'], fn () => $limiter->consume('x'), 'the sentinel rejects the old certificate, and deny shows it');
ini_set('ratelimit.on_failure', 'throw');
$renew('client');
ok(eventually(function () use ($limiter) {
	try {
		return $limiter->consume('x')->store === 'redis';
	} catch (FrequencyLimit\StoreException) {
		return false;
	}
}), 'and takes the new one');
done();
?>
--EXPECT--
done
