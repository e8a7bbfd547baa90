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
$call = fn (array $where) => run_command([...$where, ...php_command($ini, ['-r',
	'$d = FrequencyLimit::check("a", 1, 60, 1, ["type" => 1, "ttl" => 3600]); echo $d->reason->value, " ", $d->accepted ? 0 : (int) round($d->retryAfter / 60);'])]);

same([0, 'accepted 0'], $call($here), 'the permit');
same([0, 'banned 60'], $call($here), 'the ban');
/* An hour is left, for everybody. */
foreach (['ahead' => $ahead, 'behind' => $behind, 'here' => $here, 'ahead again' => $ahead] as $name => $where) {
	same([0, 'banned 60'], $call($where), $name);
}
done();
?>
--EXPECT--
done
