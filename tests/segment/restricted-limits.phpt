--TEST--
Little memory, few open files, a user namespace: PHP starts, works or names its loss, and on_failure decides
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
exec('prlimit --version', $lines, $exit);
if ($exit !== 0) {
	die('skip prlimit is missing');
}
if (str_contains((string) @file_get_contents(__DIR__ . '/../../config.nice'), 'sanitizer')) {
	die('skip a sanitizer reserves terabytes of addresses');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/tools.inc';

$code = 'echo json_encode([FrequencyLimit::doHandle("a", 1, 60, 1), FrequencyLimit::doHandle("a", 1, 60, 1)]);';
$show = ['display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0'];
$limited = fn (string $limit, array $ini = []) => run_command(['prlimit', "--$limit", ...php_command($ini + $show, ['-r', $code])]);

same([0, '[true,false]'], $limited('memlock=0'), 'no locked memory');
same([0, '[true,false]'], $limited('nofile=16'), 'sixteen open files');
same([0, '[true,false]'], $limited('stack=1048576'), 'a stack of one megabyte');

/* The address space has room for PHP and not for the segment. */
foreach (['local' => '[false,false]', 'allow' => '[true,true]', 'deny' => '[false,false]'] as $policy => $decisions) {
	[$exit, $said] = $limited('as=1500000000', ['ratelimit.shm_size' => '4G', 'ratelimit.on_failure' => $policy]);
	same(0, $exit, "address space, $policy: $said");
	ok((bool) preg_match('/Warning: cannot set up the shared memory: no shared memory of 4294967296 bytes: (?:Cannot allocate memory|Out of memory)\. .*on_failure=' . $policy . '/', $said), "the reason: $said");
	ok(str_ends_with($said, $decisions), "address space, $policy: $said");
}
same([0, '[true,false]'], $limited('as=1500000000', ['ratelimit.shm_size' => '1M']), 'a segment that fits');

/* A container without root on its host. */
$namespace = ['unshare', '--user', '--map-root-user'];
if (run_command([...$namespace, 'true'])[0] === 0) {
	$folder = temp_folder();
	foreach (['private', "$folder/segment"] as $path) {
		same([0, '[true,false]'], run_command([...$namespace, ...php_command($show + ['ratelimit.shm_path' => $path], ['-r', $code])]), "a user namespace, shm_path '$path'");
	}
}
done();
?>
--EXPECT--
done
