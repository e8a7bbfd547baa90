<?php
/* Plays several machines on one Redis and one limit (scripts/long.sh machines):
 *
 *     machines.php DECISIONS namespaces|processes|cluster [calm]
 *
 * Each machine is a PHP with a segment and a clock of its own (two minutes slow, an hour fast, or 500 ppm too fast), and
 * with "namespaces" a network of its own. Faults repeat during the run: scripts are flushed, connections killed; with
 * namespaces a machine is disconnected now and then; a cluster of three masters moves slots in use. "calm" disables the
 * faults. It prints the figures as JSON. */

require __DIR__ . '/../include/simclock.inc';
require __DIR__ . '/../include/topology.inc';
require __DIR__ . '/machine.inc';
require __DIR__ . '/network.inc';

[, $decisions, $how] = $argv;
$calm = ($argv[3] ?? '') === 'calm';
const MACHINES = 4, WORKERS = 2;

$network = $how === 'namespaces' && Network::possible() ? new Network(MACHINES) : null;
$cluster = $how === 'cluster' ? new RedisCluster(3) : null;
$redis = $cluster ? null : ($network ? new RedisServer(['--bind', $network->server, '--port', '6379', '--protected-mode', 'no'], within: $network->within('server'))
	: new RedisServer());
$servers = $cluster?->nodes ?? [$redis];
$timeout = $network ? 300 : 5000;
store_options(deny_cache: 0, retry_delay: 1, timeout: $timeout, connect_timeout: $timeout);
$dsn = $cluster ? $cluster->dsn() : ($network ? "redis://$network->server:6379" : $redis->dsn());

/* Six kinds in turn: 5 with 1250 calls, one with 125. */
$identities = (int) ceil($decisions / (6375 / 6));
$folder = temp_folder();
$start = "$folder/start";
$skews = [-120_000_000, 0, 3_600_000_000, 1_000];
$files = $processes = [];
for ($m = 0; $m < MACHINES; $m++) {
	$clock = new SimClock((int) (microtime(true) * 1e6) + $skews[$m]);
	$clock->run($m === 3 ? 500 : 0);
	$spec = json_encode(['identities' => $identities, 'workers' => WORKERS, 'machines' => MACHINES, 'start' => $start]);
	$command = php_command(['ratelimit.store' => with_store_options($dsn), 'ratelimit.on_failure' => 'deny', 'error_log' => "$folder/log"],
		[__DIR__ . '/machine.php', $spec]);
	$files[$m] = tmpfile();
	$processes[$m] = proc_open($network ? [...$network->within($m), ...$command] : $command, [['file', '/dev/null', 'r'], $files[$m], STDERR], $pipes,
		null, $clock->environment() + getenv());
}
/* Returns true when all nodes have the last move. A move before that may be reverted by an older node, and then two nodes
 * redirect clients to each other: a property of Redis Cluster, not under test. */
function epochs_agree(array $nodes): bool
{
	$epochs = array_map(function (RedisNode $node): array {
		preg_match('/cluster_current_epoch:(\d+).*cluster_my_epoch:(\d+)/s', $node('CLUSTER', 'INFO'), $found);
		return [$found[1], $found[2]];
	}, $nodes);
	return count(array_unique(array_column($epochs, 0))) === 1 && count(array_unique(array_column($epochs, 1))) === count($nodes);
}

$began = stopwatch();
touch($start);

/* Injects faults until all machines have finished. */
$faults = ['flushes' => 0, 'connections_killed' => 0, 'cables_pulled' => 0, 'slots_moved' => 0];
$home = []; /* slot => the node that has it after a move */
$run = fn () => array_filter($processes, fn ($p) => proc_get_status($p)['running']) !== [];
for ($tick = 0; $run(); $tick++) {
	pause(0.002);
	if ($calm) {
		continue;
	}
	$one = $servers[$tick % count($servers)];
	$one('SCRIPT', 'FLUSH');
	$faults['flushes']++;
	if ($tick % 13 === 12) {
		$faults['connections_killed'] += $one('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
	}
	if ($cluster && epochs_agree($servers) && ($key = $one('RANDOMKEY')) !== null) {
		$slot = $cluster->slot($key);
		$from = $home[$slot] ?? $cluster->home($slot);
		$to = $servers[mt_rand(0, count($servers) - 1)];
		if ($from !== $to) {
			$cluster->begin_move($slot, $from, $to);
			pause(mt_rand(0, 3) / 1000);
			$cluster->move($slot, $from, $to);
			foreach ($servers as $server) {
				$server('CLUSTER', 'SETSLOT', $slot, 'NODE', $cluster->id($to));
			}
			$home[$slot] = $to;
			$faults['slots_moved']++;
		}
	}
	if ($network && $tick % 50 === 49) {
		$network->unplugged(0.05, mt_rand(0, MACHINES - 1));
		$faults['cables_pulled']++;
	}
}
$seconds = stopwatch() - $began;

$seen = [];
foreach ($files as $m => $file) {
	rewind($file);
	$said = stream_get_contents($file);
	foreach (json_decode($said, true) ?? throw new Exception("machine $m ended early: $said") as $id => $counts) {
		foreach ($counts as $what => $n) {
			$seen[$id][$what] = ($seen[$id][$what] ?? 0) + $n;
		}
	}
}

/* This process reads the counts from Redis over the unix socket. */
ini_set('ratelimit.store', $cluster ? $dsn : $redis->dsn());
ini_set('ratelimit.on_failure', 'throw');
store_options(timeout: 10000);
$figures = ['each' => $network ? 'a network namespace' : 'a process', 'server' => $cluster ? 'a cluster' : 'one Redis', 'machines' => MACHINES, 'workers' => MACHINES * WORKERS, 'identities' => $identities, 'decisions' => 0, 'admitted' => 0,
	'unknown' => 0, 'over_the_limit' => 0, 'counted_twice' => 0, 'admitted_but_not_counted' => 0, 'permits_lost' => 0] + $faults;
foreach (identities($identities) as $id => [$kind, $limit, $ask, $look]) {
	['admitted' => $admitted, 'unknown' => $unknown] = $seen[$id];
	$asked = shares($limit, MACHINES * WORKERS) * MACHINES * WORKERS;
	$counted = $limit - $look()->remaining - (int) $look()->accepted;
	$figures['decisions'] += $asked;
	$figures['admitted'] += $admitted;
	$figures['unknown'] += $unknown;
	$figures['over_the_limit'] += max(0, $admitted - $limit);
	$figures['counted_twice'] += max(0, $counted - $admitted - $unknown);
	$figures['admitted_but_not_counted'] += max(0, $admitted - $counted);
	/* For an exhausted identity: the calls that were counted without an admission. */
	$figures['permits_lost'] += max(0, min($limit, $counted) - $admitted);
}
/* The circuit breaker logs each change. */
$figures['complaints'] = preg_match_all('/^(?!.*ratelimit: Redis at).+$/m', (string) @file_get_contents("$folder/log"));
$figures['seconds'] = round($seconds, 1);
$figures['decisions_per_second'] = (int) ($figures['decisions'] / $seconds);
echo json_encode($figures), "\n";
exit((int) ($figures['over_the_limit'] + $figures['counted_twice'] + $figures['admitted_but_not_counted'] + $figures['complaints'] > 0));
