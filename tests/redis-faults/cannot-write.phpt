--TEST--
A Redis that cannot write still refuses, counts nothing, and decisions recover
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/faults.inc';

$redis = new RedisServer(['--save', '3600 1000000', '--hz', '500']);
$faults = new Faults($redis, $redis->dsn());
$set = fn (string ...$words) => fn () => same('OK', $redis('CONFIG', 'SET', ...$words), implode(' ', $words));
$dump = dirname($redis->socket) . '/dump.rdb';
$table = [
	'OOM' => [$set('maxmemory', '1'), $set('maxmemory', '0'), 'OOM'],
	'MISCONF' => [
		function () use ($redis, $dump) {
			@unlink($dump);
			mkdir($dump);
			$redis('BGSAVE');
			ok(eventually(fn () => $redis->info('persistence')['rdb_last_bgsave_status'] === 'err'), 'a snapshot fails');
		},
		function () use ($redis, $dump) {
			rmdir($dump);
			same('OK', $redis('SAVE'), 'a snapshot is made');
		}, 'MISCONF'],
	'NOREPLICAS' => [$set('min-replicas-to-write', '1'), $set('min-replicas-to-write', '0'), 'NOREPLICAS'],
	'READONLY' => [fn () => $redis('REPLICAOF', '127.0.0.1', '1'), fn () => $redis('REPLICAOF', 'NO', 'ONE'), ''],
];
foreach ($table as $what => [$begin, $end, $says]) {
	$faults->each($what, $begin, $end, $says);

	/* A refusal needs no write: Redis still refuses, with the same facts. */
	ini_set('ratelimit.on_failure', 'throw');
	$full = fn () => FrequencyLimit::check($what, 'full', 3600, 1);
	same(true, $full()->accepted, "$what: before");
	$begin();
	$r = $full();
	same([false, FrequencyLimit\Reason::Limited, 'redis'], [$r->accepted, $r->reason, $r->store], "$what: a refusal");
	$end();
	$faults->heals("$what, refused");
}
done();
?>
--EXPECT--
done
