--TEST--
Permits on a cluster: each ends on its node, also of a killed worker, and behind moved slots
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';
store_options(retry_delay: 1);
use FrequencyLimit\{Limit, Limiter};

$redis = new RedisCluster(3);
ini_set('ratelimit.store', $redis->dsn());
$places = new Limiter('places', ['at-once' => Limit::concurrent(3, 600), 'rate' => Limit::slidingLog(1000, 600)]);
$slots = $of = [];
for ($id = 1; count($of) < 3; $id++) {
	$slot = $redis->slot("act:limit:places:$id:6l");
	$node = array_search($redis->home($slot), $redis->nodes, true);
	$of[$node] ??= $id;
}
ksort($of);

/* One identity on each node: the permits of all are held at once, then each ends in another way. */
$permits = array_map(fn ($id) => $places->acquire($id, 3), $of);
same([false, false, false], array_map(fn ($id) => $places->acquire($id)->result->accepted, $of), 'each node has no more places');
same(true, $permits[0]->renew(60), 'renew()');
same(true, $permits[0]->release(), 'release()');
same(true, $permits[1]->cancel(), 'cancel()');
same(true, $permits[2]->settle(1)->accepted, 'settle()');
same([2, 2, 2], array_map(fn ($id) => $places->peek($id)->remaining, $of), 'all places are free');
same([false, false, false], array_map(fn ($permit) => $permit->release(), $permits), 'each has ended');

/* A slot that moves between acquire() and the end of the permit. */
$key = null;
foreach ($redis->nodes as $from) {
	foreach ($from('KEYS', '*places*') as $name) {
		$keys[$name] = $from;
	}
}
same(2, count($keys), 'a key for each permit that was not cancelled');
[$name, $from] = [array_key_first($keys), reset($keys)];
preg_match('/places:(\d+)/', $name, $found);
$permit = $places->acquire((int) $found[1], 2);
$to = $redis->nodes[(array_search($from, $redis->nodes, true) + 1) % 3];
$redis->move($redis->slot($name), $from, $to);
same([true, true], [$permit->renew(), $permit->release()], 'the permit ends on the new node');
same(2, $places->peek((int) $found[1])->remaining, 'where its places are free');

/* A killed worker's places on each node are given back by another worker of the machine. */
$pipe = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (($pid = pcntl_fork()) === 0) {
	pcntl_alarm(300);
	$held = array_map(fn ($id) => $places->acquire($id, 3), $of);
	fwrite($pipe[1], count(array_filter($held, fn ($permit) => $permit->result->accepted)));
	while (true) {
		pause(1);
	}
}
same('3', fread($pipe[0], 1), 'the worker holds all places');
same([false, false, false], array_map(fn ($id) => $places->peek($id)->accepted, $of), 'on each node');
send_signal($pid, 9);
pcntl_waitpid($pid, $status);
$other = new Limiter('other', Limit::fixedWindow(1_000_000, 600));
foreach ($of as $node => $id) {
	same(true, eventually(fn () => $other->consume('y')->accepted && $places->peek($id, 3)->accepted), "node $node: its places are free");
}
done();
?>
--EXPECT--
done
