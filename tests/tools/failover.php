<?php
/* Measures the loss of a failover (scripts/long.sh failover):
 *
 *     failover.php sentinel|cluster SECONDS_WITHOUT_REPLICATION [MAX_LAG]
 *
 * A master, its replica and clients have a network namespace each. Under load the replica is disconnected for some seconds
 * (0: never); the master dies with its network, as in a power cut; the replica is connected again and takes over. It
 * requires root. MAX_LAG: min-replicas-max-lag, with min-replicas-to-write 1. */

require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/network.inc';

[, $kind, $frozen] = $argv;
$max_lag = (int) ($argv[3] ?? 0);
const MASTER = 0, REPLICA = 1, CLIENT = 2;
$network = new Network(3);
[$master, $replica] = [$network->address(MASTER), $network->address(REPLICA)];
$folder = temp_folder();

$options = fn (string $address): array => ['--bind', $address, '--port', '6379', '--protected-mode', 'no', '--repl-diskless-sync-delay', '0',
	'--repl-timeout', '60', ...($kind === 'cluster' ? ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1500'] : [])];
$servers = [
	MASTER => new RedisServer($options($master), within: $network->within(MASTER)),
	REPLICA => new RedisServer($options($replica), within: $network->within(REPLICA)),
];
if ($kind === 'sentinel') {
	$servers[REPLICA]('REPLICAOF', $master, '6379');
} else {
	/* Two more masters vote; the first has nearly all slots, so that the clients ask it. */
	foreach ([6001, 6002] as $i => $port) {
		$voter = $servers[2 + $i] = new RedisServer(array_replace($options($network->server), [3 => (string) $port]), within: $network->within('server'));
		$voter('CLUSTER', 'ADDSLOTS', 16382 + $i);
	}
	$servers[MASTER]('CLUSTER', 'ADDSLOTSRANGE', 0, 16381);
	foreach ($servers as $i => $server) {
		$server('CLUSTER', 'SET-CONFIG-EPOCH', $i + 1);
		$server('CLUSTER', 'MEET', $master, 6379);
	}
	eventually(fn () => !array_filter($servers, fn ($s) => !str_contains($s('CLUSTER', 'INFO'), 'cluster_known_nodes:4'))) || throw new Exception('they do not meet');
	$id = $servers[MASTER]('CLUSTER', 'MYID');
	eventually(fn () => $servers[REPLICA]('CLUSTER', 'REPLICATE', $id) === 'OK') || throw new Exception('no replica');
	eventually(fn () => !array_filter($servers, fn ($s) => !str_contains($s('CLUSTER', 'INFO'), 'cluster_state:ok'))) || throw new Exception('the cluster is not ok');
}
eventually(fn () => ($servers[REPLICA]->info('replication')['master_link_status'] ?? '') === 'up', 30.0) || throw new Exception('no replication');
if ($max_lag > 0) {
	/* For the master only: the new master has no replica here. */
	$servers[MASTER]('CONFIG', 'SET', 'min-replicas-to-write', '1', 'min-replicas-max-lag', (string) $max_lag);
}

$sentinels = [];
if ($kind === 'sentinel') {
	foreach ([5001, 5002, 5003] as $port) {
		file_put_contents("$folder/$port.conf", "port $port\nbind $network->server\nprotected-mode no\ndir $folder\n" .
			"sentinel monitor mymaster $master 6379 2\nsentinel down-after-milliseconds mymaster 1000\nsentinel failover-timeout mymaster 5000\n");
		$sentinels[] = new Server([...$network->within('server'), redis_binary(), "$folder/$port.conf", '--sentinel'], "$folder/$port.log");
	}
	$known = fn () => preg_match_all('/\+slave slave|\+sentinel sentinel/', implode('', array_map('file_get_contents', glob("$folder/500*.log")))) >= 9;
	eventually($known, 30.0) || throw new Exception('the sentinels do not know each other');
}
$dsn = $kind === 'sentinel' ? "redis+sentinel://$network->server:5001,$network->server:5002,$network->server:5003/mymaster"
	: "redis+cluster://$master:6379,$replica:6379,$network->server:6001";
store_options(deny_cache: 0, retry_delay: 20, timeout: 200, connect_timeout: 200);

$stop = "$folder/stop";
$output = tmpfile();
$client = proc_open([...$network->within(CLIENT), ...php_command(['ratelimit.store' => with_store_options($dsn), 'ratelimit.on_failure' => 'deny', 'error_log' => "$folder/log"],
	[__DIR__ . '/failover-client.php', json_encode(['identities' => 20, 'workers' => 2, 'stop' => $stop])])],
	[['file', '/dev/null', 'r'], $output, STDERR], $pipes);

pause(1.0);
$rate = -$servers[MASTER]->calls('evalsha');
pause(1.0);
$rate += $servers[MASTER]->calls('evalsha');
$meanwhile = -$servers[MASTER]->calls('evalsha');
if ($frozen > 0) {
	$network->unplug(REPLICA);
	pause((float) $frozen);
}
$meanwhile += $servers[MASTER]->calls('evalsha');
$network->unplug(MASTER);
$servers[MASTER]->stop(9);
$killed = stopwatch();
$network->plug(REPLICA);
/* A new connection each time: Sentinels close the connections of a server whose role they change. */
$taken_over = eventually(function () use ($servers): bool {
	try {
		return (new RedisClient($servers[REPLICA]->socket))('ROLE')[0] === 'master';
	} catch (\Exception) {
		return false;
	}
}, 60.0);
$took = stopwatch() - $killed;
pause(1.5);
touch($stop);
end_of($client);
rewind($output);
$said = stream_get_contents($output);
$seen = json_decode($said, true) ?? throw new Exception("the client ended early: $said" . @file_get_contents("$folder/log"));

$lost = $extra = 0;
foreach ($seen['acknowledged'] as $id => $n) {
	$lost += max(0, $n - $seen['kept'][$id]);
	$extra += max(0, $seen['kept'][$id] - $n);
}
$acknowledged = array_sum($seen['acknowledged']);
echo json_encode(['kind' => $kind, 'replication_stopped_for' => (float) $frozen, 'min_replicas_max_lag' => $max_lag ?: 'off',
	'decisions_per_second' => $rate, 'asked_without_replication' => $frozen > 0 ? $meanwhile : 0, 'acknowledged' => $acknowledged, 'lost' => $lost,
	'counted_without_an_answer' => $extra,
	'unanswered' => $seen['unknown'], 'took_over_after' => round($took, 2), 'longest_silence' => round($seen['longest_silence'], 2)]), "\n";
exit((int) (!$taken_over || $extra > $seen['unknown']));
