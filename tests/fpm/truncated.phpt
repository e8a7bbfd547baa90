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
same(true, $fpm($once(1)), 'before');
for ($round = 0; $round < 2; $round++) {
	foreach ([$fpm->master(), ...$fpm->workers()] as $pid) {
		$found = $segments($pid);
		ok($found !== [], "process $pid has the segment open");
		foreach ($found as $link) {
			clearstatcache();
			$size = filesize($link);
			same(0600, fileperms($link) & 07777, 'its mode');
			foreach ([0, 4096, 2 * $size] as $length) {
				exec("truncate -s $length $link 2>&1", $output, $exit);
				ok($exit !== 0, "truncate to $length is refused");
			}
			clearstatcache();
			same($size, filesize($link), 'its size');
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
