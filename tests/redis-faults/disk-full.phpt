--TEST--
A Redis with a full disk admits nothing that would be lost, still refuses, and decisions recover
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
$folder = temp_folder();
exec("mount -t tmpfs -o size=1m none $folder 2>&1 && umount $folder 2>&1", $output, $exit);
if (!is_root() || $exit !== 0) {
	die('skip mounting a small tmpfs needs root: ' . implode(' ', $output));
}
?>
--FILE--
<?php
require __DIR__ . '/faults.inc';

use FrequencyLimit\{Reason, StoreException};

$disk = temp_folder();
exec("mount -t tmpfs -o size=256k none $disk");
at_end(fn () => exec("umount -l $disk"));
$redis = new RedisServer(['--dir', $disk, '--appendonly', 'yes', '--appendfsync', 'everysec', '--auto-aof-rewrite-percentage', '0', '--hz', '100']);
$faults = new Faults($redis, $redis->dsn());
ini_set('ratelimit.on_failure', 'throw');
same(true, FrequencyLimit::doHandle('full', 1, 3600, 1), 'before');

/* Another process fills the disk; the next write is the first that fails, after its reply. */
$filler = fopen("$disk/filler", 'w');
while (@fwrite($filler, str_repeat('x', 4096)) === 4096) {
}
$fails = function () use ($redis): bool {
	$redis('SET', 'other', random_bytes(9000));
	return $redis->info('persistence')['aof_last_write_status'] === 'err';
};
ok(eventually($fails), 'the append-only file cannot be written');

foreach (['local', 'allow', 'deny'] as $policy) {
	pause(0.003);
	ini_set('ratelimit.on_failure', $policy);
	$r = FrequencyLimit::check('full', $policy, 3600, 5);
	same($policy === 'local' ? ['local', Reason::Accepted] : ['redis', Reason::StoreUnavailable], [$r->store, $r->reason], $policy);
}
ini_set('ratelimit.on_failure', 'throw');
pause(0.003);
throws(StoreException::class, ['MISCONF'], fn () => FrequencyLimit::check('full', 'x', 3600, 5), 'throw');
$r = FrequencyLimit::check('full', 1, 3600, 1);
same([false, 'redis'], [$r->accepted, $r->store], 'a refusal');

fclose($filler);
unlink("$disk/filler");
ok(eventually(fn () => $redis->info('persistence')['aof_last_write_status'] === 'ok'), 'there is room again');
$faults->heals('room again');
foreach (['local', 'allow', 'deny', 'x'] as $id) {
	same($id === 'local' ? 3 : 4, FrequencyLimit::check('full', $id, 3600, 5)->remaining, "$id: Redis had counted nothing; what has passed is told");
}
done();
?>
--EXPECT--
done
