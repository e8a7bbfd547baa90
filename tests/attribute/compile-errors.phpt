--TEST--
An invalid #[AccessLimit] is a compile error with the file and the line of the attribute
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/matrix.inc';

/** Compiles the code from line 5 on, and returns PHP's message; $line: the line in it. */
function refused(string $code, array $parts, int $line = 5): void
{
	static $folder;
	$folder ??= temp_folder();
	$file = "$folder/code.php";
	file_put_contents($file, "<?php\nnamespace App;\nuse FrequencyLimit\AccessLimit;\necho 'ran';\n$code\n");
	[$exit, $output] = run_command(plain_php([], [$file]));
	same(255, $exit, "$code: exit code");
	ok(preg_match('/Fatal error: .*' . implode('.*', array_map(fn ($part) => preg_quote($part, '/'), $parts)) . ".* in "
		. preg_quote($file, '/') . " on line $line\n/s", $output) === 1, "$code: $output");
	ok(!str_contains($output, 'ran'), "$code: nothing runs");
}

/* Numbers and types: the argument, the bound, the value. */
refused('#[AccessLimit(0)] function f() {}', ['$seconds', '0.001', '315360000', '0 given']);
refused('#[AccessLimit(-1, 5)] function f() {}', ['$seconds', '-1 given']);
refused('#[AccessLimit(0.0001, 5)] function f() {}', ['$seconds', '0.0001 given']);
refused('#[AccessLimit(\NAN)] function f() {}', ['$seconds', 'NAN given']);
refused('#[AccessLimit(315360001)] function f() {}', ['$seconds', '315360001 given']);
refused('#[AccessLimit("60", 5)] function f() {}', ['$seconds', 'int|float', 'string given']);
refused('#[AccessLimit(60, 0)] function f() {}', ['$maxCount', '1', '16777215', '0 given']);
refused('#[AccessLimit(60, 16777216)] function f() {}', ['$maxCount', '16777216 given']);
refused('#[AccessLimit(60, 5.0)] function f() {}', ['$maxCount', 'int', 'float given']);
refused('#[AccessLimit(60, 2 * 3 - 6)] function f() {}', ['$maxCount', '0 given']);
refused('#[AccessLimit(60, 5, 1)] function f() {}', ['$needLogin', 'bool', 'int given']);
refused('#[AccessLimit(60, 5, action: "")] function f() {}', ['$action', '1 and 255', '0 given']);
refused('#[AccessLimit(60, action: "' . str_repeat('x', 256) . '")] function f() {}', ['$action', '256 given']);
refused('#[AccessLimit(60, action: 7)] function f() {}', ['$action', '?string', 'int given']);

/* The arguments themselves. */
refused('#[AccessLimit] function f() {}', ['$seconds is missing']);
refused('#[AccessLimit(maxCount: 5)] function f() {}', ['$seconds is missing']);
refused('#[AccessLimit(60, max: 5)] function f() {}', ['no parameter $max']);
refused('#[AccessLimit(60, seconds: 60)] function f() {}', ['$seconds', 'twice']);
refused('#[AccessLimit(60, 5, false, null, 1)] function f() {}', ['at most 4 arguments', '5 given']);

/* Where it stands. */
refused('#[AccessLimit(60)] class C {}', ['cannot target class']);
refused('class C { #[AccessLimit(60)] public $p; }', ['cannot target property']);
refused('function f(#[AccessLimit(60)] $p) {}', ['cannot target parameter']);
refused('interface I { #[AccessLimit(60)] function f(); }', ['no body', 'implements']);
refused('abstract class C { #[AccessLimit(60)] abstract function f(); }', ['no body', 'implements']);
refused('$f = #[AccessLimit(60)] fn & (array $a) => $a[0];', ['arrow function', 'by reference']);

/* Several. */
refused(str_repeat("#[AccessLimit(60)]\n", 9) . 'function f() {}', ['at most 8 limits'], 5);
refused("#[AccessLimit(60)]\n#[AccessLimit(60, action: 'a')] function f() {}", ['$action', 'the same']);
refused("#[AccessLimit(60, action: 'b')]\n#[AccessLimit(60, action: 'a')] function f() {}", ['$action', 'the same']);

/* The line of the attribute, in any kind of function. */
refused("\n\n#[AccessLimit(0)]\nfunction\nf() {}", ['$seconds'], 7);
refused("class C {\n\n#[AccessLimit(0)]\nfunction f() {} }", ['$seconds'], 7);
refused("\$f =\n#[AccessLimit(0)]\nfn () => 1;", ['$seconds'], 6);
refused("\$f =\n#[AccessLimit(0)]\nfunction () {};", ['$seconds'], 6);
if (PHP_VERSION_ID >= 80400) {
	refused("class C { public \$p {\n#[AccessLimit(0)]\nget => 1; } }", ['$seconds'], 6);
	refused('abstract class C { abstract public $p { #[AccessLimit(60)] get; } }', ['no body']);
}

/* With attributes=0 it is an error, too, except for errors of the enforcement. */
file_put_contents($file = temp_folder() . '/code.php', '<?php #[FrequencyLimit\AccessLimit(0)] function f() {}');
[$exit, $output] = run_command(plain_php(['ratelimit.attributes' => '0'], [$file]));
ok($exit === 255 && str_contains($output, '$seconds'), "switched off: $output");

done();
?>
--EXPECT--
done
