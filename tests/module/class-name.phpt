--TEST--
A class FrequencyLimit of the application: an explained error, or both side by side with ratelimit.global_class=0
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/web.inc';
$folder = temp_folder(0755);
file_put_contents("$folder/FrequencyLimit.php", '<?php class FrequencyLimit { static function doHandle() { return "own"; } }');
$use = 'require ' . var_export("$folder/FrequencyLimit.php", true) . '; echo FrequencyLimit::doHandle();';

[$exit, $output] = run_php($use, ['display_errors' => 'stderr', 'log_errors' => '0']);
same(255, $exit, 'the engine refuses a second class');
[, $output] = run_php($use, ['display_errors' => '0', 'log_errors' => '1', 'error_log' => "$folder/log"]);
$log = file_get_contents("$folder/log");
ok(str_contains($log, "ratelimit: $folder/FrequencyLimit.php declares a class FrequencyLimit"), "the log names the file: $log");
ok(str_contains($log, 'ratelimit.global_class=0'), 'and the setting');

[$exit, $output] = run_php("$use echo ' ', FrequencyLimit\\FrequencyLimit::doHandle('a', 1, 60, 1) ? 'passes' : 'refused', ' ', "
	. "get_class(FrequencyLimit\\FrequencyLimit::check('a', 1, 60, 1)), ' ', (new ReflectionMethod('frequencylimit\\FrequencyLimit', 'doHandle'))->class;",
	['ratelimit.global_class' => '0']);
same([0, 'own passes FrequencyLimit\Result FrequencyLimit\FrequencyLimit'], [$exit, trim($output)], 'two classes');

/* The second name is there with both settings, and the command works with both. */
foreach (['0', '1'] as $global) {
	[$exit, $output] = run_php("echo FrequencyLimit\\FrequencyLimit::doHandle('a', 1, 60, 1) ? 'passes' : 'refused';", ['ratelimit.global_class' => $global]);
	same([0, 'passes'], [$exit, trim($output)], "the second name with global_class=$global");
	[$exit, $output] = run_command(php_command(['ratelimit.global_class' => $global], [__DIR__ . '/../../bin/ratelimit', 'check']));
	same([0, "ok: store shm:, segment memory\n"], [$exit, $output], "the command with global_class=$global");
}

/* Neither the namespace nor another class has the error. */
[$exit, $output] = run_php('namespace App; class FrequencyLimit {} echo FrequencyLimit::class;');
same([0, 'App\FrequencyLimit'], [$exit, trim($output)], 'a class in a namespace');

file_put_contents("$folder/index.php", "<?php $use");
$server = new WebServer(['-t', $folder], ['display_errors' => '0'], workers: 1);
$page = $server->visitor()->get('/index.php');
same([500, true], [$page->status, str_contains($page->body, 'two classes FrequencyLimit')], "the page is not empty: $page->body");
done();
?>
--EXPECT--
done
