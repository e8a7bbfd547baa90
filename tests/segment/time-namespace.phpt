--TEST--
Processes of different time namespaces that share a file agree on when a ban ends
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
exec('unshare -T --fork --monotonic=7200 --boottime=9000 true 2>&1', $output, $exit);
if ($exit !== 0) {
	die('skip no time namespace can be made here: ' . implode(' ', $output));
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$ini = ['ratelimit.shm_path' => temp_folder() . '/segment', 'ratelimit.shm_size' => '1M'];
$here = [];
$ahead = ['unshare', '-T', '--fork', '--monotonic=7200', '--boottime=9000'];
$behind = ['unshare', '-T', '--fork', '--monotonic=-60', '--boottime=-30'];
$call = function (array $where) use ($ini): array {
	$before = microtime(true);
	[$exit, $output] = run_command([...$where, ...php_command($ini, ['-r',
		'$d = FrequencyLimit::check("a", 1, 60, 1, ["type" => 1, "ttl" => 3600]); echo $d->reason->value, " ", $d->retryAfter;'])]);
	[$reason, $left] = explode(' ', $output);
	return [$exit, $reason, (float) $left, $before, microtime(true)];
};

same([0, 'accepted'], array_slice($call($here), 0, 2), 'the permit');
[$exit, $reason, , $earliest, $latest] = $call($here);
same([0, 'banned'], [$exit, $reason], 'the ban');
/* The hour has begun for everybody, however long these processes take. */
foreach (['ahead' => $ahead, 'behind' => $behind, 'here' => $here, 'ahead again' => $ahead] as $name => $where) {
	[$exit, $reason, $left, $before, $after] = $call($where);
	same([0, 'banned'], [$exit, $reason], $name);
	between(3600 - ($after - $earliest) - 0.01, $left, 3600 - ($before - $latest) + 0.01, "$name: what is left");
}
done();
?>
--EXPECT--
done
