--TEST--
A ticket that is removed under running processes loses no count and frees no place: it is made again for the same memory
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

const LIMITER = '$l = new FrequencyLimit\Limiter("places", FrequencyLimit\Limit::concurrent(3, 3600)); ';

/* Two processes hold a place each and do nothing: they cannot see what happens to the ticket. */
$idle = [];
for ($i = 0; $i < 2; $i++) {
	$process = proc_open(php_command([], ['-r', LIMITER . '$p = $l->acquire("u"); echo $p->result->accepted ? "yes\n" : "no\n"; fgets(STDIN);
		echo FrequencyLimit::doHandle("late", 1, 3600, 1) ? "passes\n" : "refused\n"; fgets(STDIN);']), [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
	same("yes\n", fgets($pipes[1]), "idle process $i has a place");
	$idle[] = [$process, $pipes];
}
same('1', run_php('echo (int) FrequencyLimit::doHandle("late", 1, 3600, 1);')[1], 'a count');
[$id, $attached] = [key(segments()), current(segments())];
same(2, $attached, 'they are attached');
$places = fn () => in_processes(4, function () {
	$l = new FrequencyLimit\Limiter('places', FrequencyLimit\Limit::concurrent(3, 3600));
	$permit = $l->acquire('u');
	usleep(300_000);
	return (int) $permit->result->accepted;
});
for ($round = 1; $round <= 3; $round++) {
	/* As logind does at a logout: it removes the file, and spares memory that is in use. */
	unlink(current(tickets()));
	same(1, array_sum($places()), "round $round: one place of three is free, for four processes at once");
	same([[$id], 1], [array_keys(segments()), count(tickets())], "round $round: the same memory, with a ticket");
}

/* A busy process makes the ticket again by itself, and a request of one that decides on the fast path alone. */
$busy = forked(function () {
	for (;;) {
		FrequencyLimit::doHandle('busy', 1, 3600, 1 << 20);
		(new FrequencyLimit\Limiter('busy', FrequencyLimit\Limit::fixedWindow(1 << 20, 3600)))->consume('u');
		usleep(1000);
	}
});
usleep(100_000);
unlink(current(tickets()));
ok(eventually(fn () => count(tickets()) === 1, 5.0), 'a busy process makes it again');
same($id, (int) file_get_contents(current(tickets())), 'for the same memory');
$busy();

/* The idle ones go on, and their end frees their places at once. */
foreach ($idle as [$process, $pipes]) {
	fwrite($pipes[0], "\n");
	same("refused\n", fgets($pipes[1]), 'the count is there');
}
usleep(1_100_000);
foreach ($idle as [$process, $pipes]) {
	proc_terminate($process, 9);
	proc_close($process);
}
same(3, array_sum($places()), 'all places are free');

/* Memory that goes with its last process begins anew; a running process keeps what it has. */
$process = proc_open(php_command([], ['-r', 'FrequencyLimit::doHandle("gone", 1, 3600, 1); echo "\n"; fgets(STDIN);
	echo (int) FrequencyLimit::doHandle("gone", 1, 3600, 1), "\n";']), [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
fgets($pipes[1]);
exec("ipcrm -m $id");
same('0', run_php('echo (int) FrequencyLimit::doHandle("gone", 1, 3600, 1);')[1], 'while it runs, a new process finds its memory');
fwrite($pipes[0], "\n");
same("0\n", fgets($pipes[1]), 'and itself');
proc_close($process);
same([0, '10'], run_php('echo (int) FrequencyLimit::doHandle("gone", 1, 3600, 1), (int) FrequencyLimit::doHandle("gone", 1, 3600, 1);'), 'then counts begin anew');
same([1, 1, false], [count(tickets()), count(segments()), isset(segments()[$id])], 'in other memory');
done();
?>
--EXPECT--
done
