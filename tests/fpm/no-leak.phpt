--TEST--
php-fpm: a reload leaks neither a file descriptor nor a mapping
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
/* Of an idle process: the least of several looks, because a worker closes its connection a moment after its answer. */
$of = function (int $pid): array {
	$descriptors = [];
	for ($look = 0; $look < 20; $look++) {
		$descriptors[] = count(scandir("/proc/$pid/fd"));
		pause(0.01);
	}
	$maps = array_filter(explode("\n", file_get_contents("/proc/$pid/maps")), fn ($line) => str_contains($line, 'memfd:ratelimit'));
	return ['descriptors' => min($descriptors), 'mappings' => count($maps)];
};
/* A worker inherits its master's ends of the pipes to those that were there before it: the last one has most. */
$most = fn (array $pids): array => ['descriptors' => max(array_map(fn ($pid) => $of($pid)['descriptors'], $pids)),
	'mappings' => max(array_map(fn ($pid) => $of($pid)['mappings'], $pids))];
/* The state after the first reload is the reference; nine more reloads must not change it. */
$fpm->reload();
$fpm('return FrequencyLimit::doHandle("a", 1, 60, 1);');
$master = $of($fpm->master());
$worker = $most($fpm->workers());
$environment = strlen(file_get_contents("/proc/{$fpm->master()}/environ"));
for ($reload = 0; $reload < 9; $reload++) {
	$fpm->reload();
}
$fpm->together(8, 'hold(20); return FrequencyLimit::doHandle("a", 1, 60, 1);');
same($master, $of($fpm->master()), 'the master after ten reloads');
same($worker, $most($fpm->workers()), 'the workers after ten reloads');
same($environment, strlen(file_get_contents("/proc/{$fpm->master()}/environ")), 'the environment after ten reloads');
between(1, $master['mappings'], 2, 'mappings of the segment');
done();
?>
--EXPECT--
done
