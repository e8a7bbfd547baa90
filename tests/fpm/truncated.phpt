--TEST--
php-fpm: the segment can be neither truncated nor grown, and no other user can open it
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
$once = fn (int $number) => "return FrequencyLimit::doHandle('a', 1, 3600, $number);";
$segments = fn (int $pid): array => array_filter(array_map(fn ($number) => "/proc/$pid/fd/$number", array_diff(scandir("/proc/$pid/fd"), ['.', '..'])),
	fn ($link) => str_contains((string) @readlink($link), 'memfd:ratelimit'));
/* By a program: a PHP with threads resolves a link before it asks, and this one leads to a file without a name. */
$size_and_mode = fn (string $link): array => explode(' ', (string) exec('stat -Lc "%s %a" ' . escapeshellarg($link)));
same(true, $fpm($once(1)), 'before');
for ($round = 0; $round < 2; $round++) {
	foreach ([$fpm->master(), ...$fpm->workers()] as $pid) {
		$found = $segments($pid);
		ok($found !== [], "process $pid has the segment open");
		foreach ($found as $link) {
			[$size, $mode] = $size_and_mode($link);
			same('600', $mode, 'its mode');
			foreach ([0, 4096, 2 * $size] as $length) {
				exec("truncate -s $length $link 2>&1", $output, $exit);
				ok($exit !== 0, "truncate to $length is refused");
			}
			same([$size, '600'], $size_and_mode($link), 'its size and mode');
		}
	}
	same([false, true], [$fpm($once($round + 1)), $fpm($once($round + 2))], "round $round: the workers go on");
	$fpm->reload();
}
same([], $fpm->complaints(), 'the log');
done();
?>
--EXPECT--
done
