--TEST--
Without getrandom() (seccomp, old kernels) the embedded store works with the bytes of /dev/urandom
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
needs_tool('refuse');
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/tools.inc';

$code = 'echo json_encode([FrequencyLimit::doHandle("a", 1, 60, 1), FrequencyLimit::doHandle("a", 1, 60, 1)]);';
$show = ['display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0'];
foreach (['getrandom', 'getrandom=EPERM'] as $refusal) {
	/* Some versions of libxml2 end any PHP that has it there. */
	if (run_command([tool('refuse'), $refusal, '--', getenv('TEST_PHP_EXECUTABLE'), '-n', '-r', ''])[0] !== 0) {
		continue;
	}
	[$exit, $said] = run_command([tool('refuse'), $refusal, '--', ...php_command($show, ['-r', $code])]);
	same([0, '[true,false]'], [$exit, $said], $refusal);
}

/* The key of the hash is random then, too: the first 4 KiB of two segments differ. */
$folder = temp_folder();
$segments = [];
foreach (['one', 'two'] as $name) {
	run_command([tool('refuse'), 'getrandom', '--', ...php_command($show + ['ratelimit.shm_path' => "$folder/$name"], ['-r', $code])]);
	$header = str_split(file_get_contents("$folder/$name", length: 4096), 16);
	$segments[] = array_filter($header, fn (string $block): bool => count(count_chars($block, 1)) > 10);
}
ok(count($segments[0]) > 8, 'a header has random blocks: ' . count($segments[0]));
same([], array_values(array_intersect(...$segments)), 'no random block is in both segments');
done();
?>
--EXPECT--
done
