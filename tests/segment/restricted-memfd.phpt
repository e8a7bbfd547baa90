--TEST--
Without memfd_create() (seccomp) php-fpm starts, counts and names that a reload loses the counts
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
require __DIR__ . '/../include/fpm.inc';
needs_tool('refuse');
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../include/tools.inc';
require __DIR__ . '/../include/fpm.inc';

$folder = temp_folder();
file_put_contents("$folder/fpm.conf", "[global]\n[www]\nlisten = $folder/sock\npm = static\npm.max_children = 1\nuser = nobody\n");
$settings = ['display_startup_errors' => '1', 'display_errors' => '0', 'log_errors' => '1', 'html_errors' => '0'];
$starts = [fpm_binary(), '-n', '-R', '-t', '-y', "$folder/fpm.conf", '-d', 'extension=' . extension_file(), ...ini_options($settings)];
[$exit, $output] = run_command($starts);
same([0, 0], [$exit, substr_count($output, 'ratelimit')], "with memfd_create: $output");
foreach (['memfd_create' => 'Function not implemented', 'memfd_create=EPERM' => 'Operation not permitted'] as $refusal => $reason) {
	[$exit, $output] = run_command([tool('refuse'), $refusal, '--', ...$starts]);
	same(0, $exit, "$refusal: $output");
	ok(str_contains($output, "a reload will lose the counts: no memory that survives it ($reason)"), "$refusal: the warning has the reason: $output");
}

/* A profile without any of the three calls. */
$code = 'echo json_encode([FrequencyLimit::doHandle("a", 1, 60, 1), FrequencyLimit::doHandle("a", 1, 60, 1)]);';
$command = [tool('refuse'), 'memfd_create', 'getrandom', 'set_robust_list', '--', ...php_command($settings, ['-r', $code])];
same([0, '[true,false]'], run_command($command), 'without memfd_create, getrandom and set_robust_list');
done();
?>
--EXPECT--
done
