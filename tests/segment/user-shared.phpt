--TEST--
All PHP processes of a user share one count: commands one after another, forks, php -S; nothing is made at start-up
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
needs_apart();
?>
--FILE--
<?php
require __DIR__ . '/user.inc';
run_apart(__FILE__);

same([0, 'x'], run_php('echo "x";'), 'a process without a limiter');
[, $said] = run_php('new FrequencyLimit\Limiter("a", FrequencyLimit\Limit::fixedWindow(1, 60));');
same('', $said, 'a limiter that decides nothing');
same([[], []], [tickets(), segments()], 'nothing is made at start-up');

$passed = [];
for ($i = 0; $i < 4; $i++) {
	$passed[] = run_php(CALLS);
}
same([[0, '4 user'], [0, '0 user'], [0, '0 user'], [0, '0 user']], $passed, 'doHandle(), four commands');
same([1, 1, 0600], [count(tickets()), count(segments()), fileperms(current(tickets())) & 07777], 'one ticket, one segment');
same('600', preg_split('/\s+/', trim(file('/proc/sysvipc/shm')[1]))[2], "the segment's mode");

/* Each entry of the API may be the first. */
$limiter = '$l = new FrequencyLimit\Limiter("l", FrequencyLimit\Limit::';
foreach (['fixedWindow(4, 3600)', 'slidingLog(4, 3600)', 'tokenBucket(4, 86400)', 'calendar(4, FrequencyLimit\Period::Month)', 'slidingWindow(4, 86400)'] as $k => $limit) {
	$sum = 0;
	for ($i = 0; $i < 6; $i++) {
		[, $one] = run_php(str_replace('"l"', "\"l$k\"", $limiter) . "$limit); \$n = 0; foreach ([1, 2] as \$_) { \$n += " . ($i % 2 ? '$l->allow("u")' : '$l->consume("u")->accepted') . '; } echo $n;');
		$sum += (int) $one;
	}
	same(4, $sum, "six processes of two calls: $limit");
}
[, $said] = run_php('(new FrequencyLimit\Limiter("banned", FrequencyLimit\Limit::fixedWindow(4, 60)))->ban("u", 600);');
same('', $said, 'a ban');
[, $said] = run_php('var_dump((new FrequencyLimit\Limiter("banned", FrequencyLimit\Limit::fixedWindow(4, 60)))->allow("u"), count(FrequencyLimit\Monitor::bans()));');
same("bool(false)\nint(1)\n", $said, 'is one for all');
[, $said] = run_php('echo count(FrequencyLimit\Monitor::bans()), FrequencyLimit\Monitor::top() ? "top" : "", FrequencyLimit\Monitor::stats()["decisions"] > 20 ? "+" : "-", str_contains(FrequencyLimit\Monitor::metrics(), "\"user\"") ? "user" : "";');
same("1top+user", $said, 'the monitor, first');

/* Forks before the first use, and after it. */
$sum = array_sum(in_processes(4, fn () => (int) FrequencyLimit::doHandle('forks', 1, 3600, 3) + (int) FrequencyLimit::doHandle('forks', 1, 3600, 3)));
same(3, $sum, 'four forks');
same([false], in_processes(1, fn () => FrequencyLimit::doHandle('forks', 1, 3600, 3)), 'and one more');
same([0, '0'], run_php('echo (int) FrequencyLimit::doHandle("forks", 1, 3600, 3);'), 'and a command');

/* The size that exists stays. */
$size = 'FrequencyLimit::doHandle("size", 1, 60, 9); ["bytes" => $bytes, "warnings" => $warnings] = FrequencyLimit\Monitor::stats(); echo "$bytes ", implode($warnings);';
same([0, (32 << 20) . ' '], run_php($size, ['ratelimit.shm_size' => '8M']), 'a smaller shm_size');
same([0, (32 << 20) . ' ratelimit.shm_size is 134217728, but the memory of this user\'s PHP processes exists, and keeps its 33554432 bytes until it is removed (docs/operations.md, "How large")'],
	run_php($size, ['ratelimit.shm_size' => '128M']), 'a larger one is not in effect, and a warning says so');

/* Without it, each process has counts of its own. */
same([[0, '4 memory'], [0, '4 memory']], [run_php(CALLS, $own = ['ratelimit.shm_path' => 'private']), run_php(CALLS, $own)], 'shm_path=private');
same([1, 1], [count(tickets()), count(segments())], 'one ticket, one segment to the end');
done();
?>
--EXPECT--
done
