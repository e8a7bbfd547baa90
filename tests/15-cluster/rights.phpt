--TEST--
A user with the rights that docs/operations.md names can do all that a cluster asks of it, also while a slot moves
--EXTENSIONS--
ratelimit
--INI--
ratelimit.on_failure=throw
ratelimit.connect_timeout=2000
ratelimit.timeout=2000
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';

$page = file_get_contents(__DIR__ . '/../../docs/operations.md');
same(1, preg_match('/^ACL SETUSER limiter (.+)$/m', $page, $user), 'the user');
same(1, preg_match('/nodes of a cluster it needs `([^`]+)`/', $page, $more), 'and what a cluster needs');
$redis = new RedisCluster(2);
$words = [...explode(' ', $user[1]), ...explode(' ', $more[1])];
if (version_compare($redis->nodes[0]->info('server')['redis_version'], '7.0', '<')) {
	$words = array_map(fn ($word) => $word === '+cluster|slots' ? '+cluster' : $word, array_diff($words, ['+pexpiretime']));
}
foreach ($redis->nodes as $node) {
	same('OK', $node('ACL', 'SETUSER', 'limiter', ...$words), 'ACL SETUSER');
}
ini_set('ratelimit.store', $redis->dsn('', 'limiter:secret@'));
for ($id = 1; $id <= 20; $id++) {
	same(9, FrequencyLimit::check('like', $id, 3600, 10)->remaining, "identity $id");
}
$slot = $redis->slot('act:limit:like:7');
$from = $redis->home($slot);
$to = $redis->nodes[$from === $redis->nodes[0] ? 1 : 0];
$redis->begin_move($slot, $from, $to);
$redis->move_keys($slot, $from, $to);
same(8, FrequencyLimit::check('like', 7, 3600, 10)->remaining, 'ASK');
$redis->end_move($slot, $from, $to);
same(7, FrequencyLimit::check('like', 7, 3600, 10)->remaining, 'MOVED');
done();
?>
--EXPECT--
done
