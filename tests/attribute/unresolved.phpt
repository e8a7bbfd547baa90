--TEST--
An AccessLimit attribute without its import is a warning once per file, with and without opcache and JIT
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/matrix.inc';

const CALLS = ' for ($i = 0; $i < 3; $i++) f();';

/** What a file prints, below its warnings, which are returned as "line: class". */
function run(string $code, array $ini = [], ?array &$warnings = null, array $files = []): string
{
	$folder = temp_folder();
	file_put_contents("$folder/code.php", "<?php\n$code");
	foreach ($files as $name => $more) {
		file_put_contents("$folder/$name", "<?php\n$more");
	}
	$output = run_command(plain_php($ini + ['display_errors' => '1', 'html_errors' => '0', 'log_errors' => '0'], ["$folder/code.php"]))[1];
	preg_match_all('~^Warning: #\[AccessLimit\] limits nothing here: it means (?:the class )?(\S+), (which .*)\. Add "use FrequencyLimit\\\\AccessLimit;" in (\S+) on line (\d+)\n~m', $output, $found);
	$warnings = array_map(fn ($file, $line, $class, $why) => basename($file) . ":$line $class" . ($why === 'which does not exist' ? '' : ", $why"), $found[3], $found[4], $found[1], $found[2]);
	return str_replace([...$found[0], "\n"], '', $output);
}
function warned(string $code, array $ini = [], array $files = []): array
{
	same('111', run($code, $ini, $warnings, $files), $code);
	return $warnings;
}
$f = 'function f() { echo 1; }';
$variants = [[]];
if (opcache_file() !== null) {
	$variants[] = OPCACHE;
	if (has_jit()) {
		$variants[] = ['opcache.jit' => 'tracing', 'opcache.jit_buffer_size' => '16M'] + OPCACHE;
	}
}

foreach ($variants as $ini) {
	/* What is missing. */
	same(['code.php:3 App\AccessLimit'], warned("namespace App;\n#[AccessLimit(60, 1)] $f" . CALLS, $ini), 'no import, in a namespace');
	same(['code.php:2 accessLIMIT'], warned("#[accessLIMIT(60, 1)] $f" . CALLS, $ini), 'in none, in other letters');
	same(['code.php:3 FrequencyLimit\AccessLimt'], warned("use FrequencyLimit\AccessLimt as AccessLimit;\n#[AccessLimit(60, 1)] $f" . CALLS, $ini), 'an import that is misspelled');
	same(['code.php:2 Frequency\AccessLimit'], warned("#[Frequency\AccessLimit(60, 1)] $f" . CALLS, $ini), 'a namespace that is');
	same(['code.php:4 App\AccessLimit'], warned("namespace App;\n#[Other] $f\n#[AccessLimit(60, 1)] function g() {} #[AccessLimit(60)] function h() {}" . CALLS, $ini), 'once a file');
	same(['code.php:2 AccessLimit'], warned("class C { #[AccessLimit(60, 1)] function m() { echo 1; } } function f() { (new C)->m(); }" . CALLS, $ini), 'a method');

	/* What is meant. */
	same([], warned("namespace App;\n#[AccessLimit(60, 1)] $f #[\Attribute] final class AccessLimit {}" . CALLS, $ini), 'a class in the file');
	same([], warned("namespace App; if (true) { class AccessLimit {} } #[AccessLimit(60, 1)] $f" . CALLS, $ini), 'one that the file declares when it runs');
	same([], warned("spl_autoload_register(fn (\$class) => require __DIR__ . '/' . basename(strtr(\$class, '\\\\', '/')) . '.php');\n#[App\AccessLimit(60, 1)] $f" . CALLS, $ini,
		['AccessLimit.php' => 'namespace App; final class AccessLimit { #[AccessLimit] function x() {} }']), 'one that the autoloader finds');
	same([], warned("require 'own.php'; require 'use.php';" . CALLS, $ini,
		['own.php' => 'namespace App; interface AccessLimit {}', 'use.php' => 'namespace App { #[AccessLimit] function g() {} } namespace { function f() { echo 1; } }']), 'one that is there');
	same([], warned("#[AccessLimits, My\NoAccessLimit, AccessLimit\More] $f" . CALLS, $ini), 'other names');
	same('1', run("use FrequencyLimit\AccessLimit;\n#[AccessLimit(60, 1)] $f for (\$i = 0; \$i < 3; \$i++) try { f(); } catch (Exception) {}", $ini, $warnings), 'ours');
	same([], $warnings, 'ours');

	/* An alias is a class, and not ours. (PHP 8.2 has none of an internal class.) */
	PHP_VERSION_ID < 80300 || same(['code.php:3 App\AccessLimit, which class_alias() has made'],
		warned("namespace App; class_alias('FrequencyLimit\AccessLimit', 'App\AccessLimit');\n#[AccessLimit(60, 1)] $f" . CALLS, $ini), 'an alias');

	/* An autoloader that throws has not found it, one that ends the script ends the check; a handler of warnings may throw. */
	$use = ['use.php' => "namespace App { #[AccessLimit] function g() {} } namespace { $f }"];
	$with = fn (string $autoloader) => "spl_autoload_register(function (\$class) { $autoloader }); require 'use.php'; " . CALLS;
	same(['use.php:2 App\AccessLimit'], warned($with(''), $ini, $use), 'it finds nothing');
	same(['use.php:2 App\AccessLimit'], warned($with('throw new LogicException($class);'), $ini, $use), 'it throws');
	same('111gone', run($with('echo "gone"; exit;'), $ini, $warnings, $use), 'it ends the script');
	same([], $warnings, 'it ends the script');
	same('111', run('set_error_handler(fn ($level, $message) => throw new ErrorException($message)); ' . $with(''), $ini, $warnings, $use), 'a handler that throws');
	same([], warned("require 'use.php'; require 'own.php';" . CALLS, $ini, $use + ['own.php' => 'namespace App; interface AccessLimit {}']), 'a class that comes later');
	same(['use.php:2 App\AccessLimit', 'code.php:2 Other\AccessLimit'], warned("#[Other\AccessLimit] function g() {} require 'use.php';" . CALLS, $ini, $use), 'in two files');
	same(['code.php:2 AccessLimit'], warned("try { throw new Exception; } catch (Exception) {} #[AccessLimit] $f" . CALLS . ' register_shutdown_function(fn () => exit(0));', $ini), 'after exit()');
}
same([], warned("#[AccessLimit(60, 1)] $f" . CALLS, ['ratelimit.attributes' => '0']), 'switched off');

done();
?>
--EXPECT--
done
