--TEST--
php-fpm: the counts by name, the refused callers and the bans of all workers survive a reload and killed workers
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
$fpm = new Fpm();
$counted = fn (string $name): int => (int) $fpm("foreach (FrequencyLimit\Monitor::limiters() as \$row) { if (\$row['name'] === '$name') { return \$row['refused']; } } return 0;");
for ($i = 0; $i < 12; $i++) {
	$fpm('for ($i = 0; $i < 3; $i++) { FrequencyLimit::doHandle("like", 7, 86400, 6); } return 0;');
}
same(30, $counted('like'), 'refusals of requests that have ended');
$fpm('FrequencyLimit::check("ban", "eve", 86400, 1, ["type" => 1, "ttl" => 43200]); FrequencyLimit::check("ban", "eve", 86400, 1, ["type" => 1, "ttl" => 43200]); return 0;');
$fpm->reload(function (): void {
});
same(30, $counted('like'), 'after a reload');
same('eve', $fpm('return FrequencyLimit\Monitor::bans()[0]["identity"];'), 'the ban');
same('7', (string) $fpm('return FrequencyLimit\Monitor::top(1)[0]["identity"];'), 'the caller');

/* A worker that is killed between two refusals loses those that it has not added yet. */
chmod($fpm->folder, 0777);
for ($round = 0; $round < 5; $round++) {
	$connection = $fpm->send("file_put_contents('$fpm->folder/pid', getmypid()); while (true) { FrequencyLimit::doHandle('killed', 1, 86400, 1); }");
	$pid = 0;
	ok(eventually(function () use ($fpm, $counted, $round, &$pid): bool {
		return ($pid = (int) @file_get_contents("$fpm->folder/pid")) > 0 && $counted('killed') > 1000 * ($round + 1);
	}), "round $round: it refuses");
	send_signal($pid, 9);
	ok(eventually(fn (): bool => !in_array($pid, $fpm->workers(), true)), "round $round: it is dead");
	unlink("$fpm->folder/pid");
	fclose($connection);
}
$total = (int) $fpm('return FrequencyLimit\Monitor::stats()["refusals"];');
between($total - 31 - 5 * 63, $counted('killed'), $total - 31, 'its refusals, but for those that it had not added');
same(30, $counted('like'), 'and all others');
done();
?>
--EXPECT--
done
