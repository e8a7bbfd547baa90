--TEST--
Only FrequencyLimit\AccessLimit limits, under any alias; another class of that name limits nothing
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/matrix.inc';

/** Returns the output of a file with four calls of f(), whose limit is 1: '1' or '1111'. */
function prints(string $code): string
{
	static $folder, $n = 0;
	$folder ??= temp_folder();
	$file = "$folder/code" . $n++ . '.php';
	file_put_contents($file, "<?php\n$code");
	return run_command(plain_php([], [$file]))[1];
}
$f = 'function f() { echo 1; } for ($i = 0; $i < 4; $i++) try { f(); } catch (\FrequencyLimit\LimitExceeded) {}';

/* It. */
same('1', prints('#[FrequencyLimit\AccessLimit(60, 1)] ' . $f), 'qualified, without a namespace');
same('1', prints('namespace FrequencyLimit; #[AccessLimit(60, 1)] ' . $f), 'in its namespace');
same('1', prints('namespace FrequencyLimit; #[namespace\AccessLimit(60, 1)] ' . $f), 'relative to its namespace');
same('1', prints('namespace App; #[\FrequencyLimit\AccessLimit(60, 1)] ' . $f), 'fully qualified');
same('1', prints('use \FrequencyLimit\AccessLimit as AL; #[AL(60, 1)] ' . $f), 'as AL, the import with a backslash');
same('1', prints('use frequencylimit\accesslimit as AL; #[al(60, 1)] ' . $f), 'in other letters');
same('1', prints('use FrequencyLimit as F; #[F\AccessLimit(60, 1)] ' . $f), 'by its namespace');
same('1', prints('use FrequencyLimit\{Limit, AccessLimit as AL}; #[AL(60, 1)] ' . $f), 'in a group');
same('1', prints('use FrequencyLimit\{function x, AccessLimit}; #[AccessLimit(60, 1)] ' . $f), 'in a mixed group');
same('1', prints('namespace A { use FrequencyLimit\AccessLimit; } namespace B { use FrequencyLimit\AccessLimit as X; #[X(60, 1)] ' . $f . ' }'), 'imports end with their namespace');
same('1', prints('namespace A; use Other\AccessLimit; namespace B; use FrequencyLimit\AccessLimit; #[AccessLimit(60, 1)] ' . $f), 'namespaces without braces');
same('1', prints('#[Other(new stdClass), FrequencyLimit\AccessLimit(60, 1)] #[More] ' . $f), 'in the middle of others');
same('1', prints('function outer() { $g = function () { return #[FrequencyLimit\AccessLimit(60, 1)] fn () => print 1; }; static $h; return $h ??= $g(); }
	for ($i = 0; $i < 4; $i++) try { outer()(); } catch (\FrequencyLimit\LimitExceeded) {}'), 'deep inside');
same('1', prints('eval(\'#[FrequencyLimit\AccessLimit(60, 1)] function f() { echo 1; }\'); for ($i = 0; $i < 4; $i++) try { f(); } catch (\FrequencyLimit\LimitExceeded) {}'), 'in eval()');

/* Not it. */
same('1111', prints('#[AccessLimit(60, 1)] ' . $f), 'no import');
same('1111', prints('namespace App; #[FrequencyLimit\AccessLimit(60, 1)] ' . $f), 'App\FrequencyLimit\AccessLimit');
same('1111', prints('use Other\AccessLimit; #[AccessLimit(60, 1)] ' . $f), 'Other\AccessLimit');
same('1111', prints('use Other\{AccessLimit}; use FrequencyLimit\AccessLimit as Ours; #[AccessLimit(60, 1)] ' . $f), 'Other\{AccessLimit}');
same('1111', prints('namespace App; use function FrequencyLimit\AccessLimit; #[AccessLimit(60, 1)] ' . $f), 'a function of that name');
same('1111', prints('namespace A { use FrequencyLimit\AccessLimit; } namespace B { #[AccessLimit(60, 1)] ' . $f . ' }'), 'an import of another namespace');
same('1111', prints('#[FrequencyLimit\AccessLimit\More(60, 1), FrequencyLimit\AccessLimits, FrequencyLimitAccessLimit] ' . $f), 'a longer name');

/* None of these has a call in it: the compiled code equals the code without the extension. */
if (opcache_file() !== null) {
	$folder = temp_folder();
	file_put_contents("$folder/code.php", '<?php namespace App; use Other\AccessLimit; #[AccessLimit(60, 1)] function f(int $x = 1) { return $x + 1; }
		#[\Attribute] class C { #[FrequencyLimit\AccessLimit] function m() { return fn () => static fn () => 1; } }');
	$dump = fn (string $on): string => run_command(plain_php(['ratelimit.attributes' => $on, 'opcache.opt_debug_level' => '0x10000'] + OPCACHE,
		["$folder/code.php"]))[1];
	ok(str_contains($dump('1'), 'RECV_INIT'), 'there is something to compare');
	same($dump('0'), $dump('1'), 'the opcodes of functions without the attribute');
	file_put_contents("$folder/code.php", '<?php #[FrequencyLimit\AccessLimit(60)] function f() { }');
	ok(str_contains($dump('1'), 'enforce') && !str_contains($dump('0'), 'enforce'), 'and of one with it');
}

done();
?>
--EXPECT--
done
