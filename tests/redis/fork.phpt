--TEST--
A forked child opens a connection of its own, and its parent keeps its own
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
$store = test_store('redis');
$redis = $store->server;
FrequencyLimit::check('fork', 'parent', 3600, 1000);
$connections = fn () => (int) $redis->info('stats')['total_connections_received'];
$before = $connections();
$own = fn (string $id) => array_map(fn () => FrequencyLimit::check('fork', $id, 3600, 1000)->remaining, range(1, 200));
$answers = in_processes(4, fn (int $i) => $own("child$i"));
foreach ($answers as $i => $remaining) {
	same(range(999, 800), $remaining, "child $i got the answers to its own questions");
}
same(range(998, 799), $own('parent'), 'so did the parent');
same($before + 4, $connections(), 'one connection for each child, none again for the parent');

/* Even when both go on at the same time, on one connection's file descriptor. */
$answers = in_processes(2, function (int $i) use ($own) {
	$own("early$i");
	$pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
	if (($child = pcntl_fork()) === 0) {
		fwrite($pair[1], serialize($own("grandchild$i")));
		exit(0);
	}
	fclose($pair[1]);
	$late = $own("late$i");
	$inner = unserialize(stream_get_contents($pair[0]));
	pcntl_waitpid($child, $status);
	return [$late, $inner];
});
foreach ($answers as $i => [$late, $grandchild]) {
	same([range(999, 800), range(999, 800)], [$late, $grandchild], "child $i and its own child");
}
done();
?>
--EXPECT--
done
