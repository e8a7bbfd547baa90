--TEST--
An invalid #[ConcurrencyLimit] is a compile error with file and line; one without its import is a warning
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/matrix.inc';
use FrequencyLimit\{AccessLimit, ConcurrencyLimit, InvalidArgument};

/** Compiles the code from line 5 on, and returns what PHP prints. */
function compiled(string $code, int $exit_code): string
{
	static $folder;
	$folder ??= temp_folder();
	$file = "$folder/code.php";
	file_put_contents($file, "<?php\nnamespace App;\n\n\n$code\n");
	[$exit, $output] = run_command(plain_php([], [$file]));
	same($exit_code, $exit, "$code: exit code");
	return str_replace($file, 'code.php', $output);
}

function refused(string $code, array $parts, int $line = 6): void
{
	$output = compiled("use FrequencyLimit\{AccessLimit, ConcurrencyLimit}; echo 'ran';\n$code", 255);
	ok(preg_match('/Fatal error: .*' . implode('.*', array_map(fn ($part) => preg_quote($part, '/'), $parts)) . ".* in code.php on line $line\n/s", $output) === 1, "$code: $output");
	ok(!str_contains($output, 'ran'), "$code: nothing runs");
}

refused('#[ConcurrencyLimit] function f() {}', ['#[FrequencyLimit\ConcurrencyLimit]: $seconds is missing']);
refused('#[ConcurrencyLimit(seconds: 60)] function f() {}', ['$limit is missing']);
refused('#[ConcurrencyLimit(2)] function f() {}', ['$seconds is missing']);
refused('#[ConcurrencyLimit(0, 60)] function f() {}', ['$limit', '1', '10000', '0 given']);
refused('#[ConcurrencyLimit(10001, 60)] function f() {}', ['$limit', '10001 given']);
refused('#[ConcurrencyLimit(2.0, 60)] function f() {}', ['$limit', 'int', 'float given']);
refused('#[ConcurrencyLimit(2, 0)] function f() {}', ['$seconds', '0.001', '0 given']);
refused('#[ConcurrencyLimit(2, 60, 1)] function f() {}', ['$needLogin', 'bool', 'int given']);
refused('#[ConcurrencyLimit(2, 60, action: "")] function f() {}', ['$action', '1 and 255', '0 given']);
refused('#[ConcurrencyLimit(2, 60, maxCount: 5)] function f() {}', ['no parameter $maxCount']);
refused('#[ConcurrencyLimit(2, limit: 5)] function f() {}', ['$limit is given twice']);
refused('#[ConcurrencyLimit(2, 60, false, null, 1)] function f() {}', ['at most 4 arguments', '5 given']);
refused('#[ConcurrencyLimit(2, 60), ConcurrencyLimit(3, 60)] function f() {}', ['ConcurrencyLimit', 'must not be repeated']);
refused('#[ConcurrencyLimit(2, 60)] class C {}', ['cannot target class']);
refused('interface I { #[ConcurrencyLimit(2, 60)] function f(); }', ['#[FrequencyLimit\ConcurrencyLimit]', 'without a body']);
refused('$f = #[ConcurrencyLimit(2, 60)] fn & (array $a) => $a[0];', ['arrow function', 'by reference']);

/* With AccessLimit: each class reports its own errors, in its own line. */
refused("#[AccessLimit(60)]\n#[ConcurrencyLimit(0, 60)] function f() {}", ['#[FrequencyLimit\ConcurrencyLimit]: $limit'], 7);
refused("#[ConcurrencyLimit(2, 60)]\n#[AccessLimit(60, 0)] function f() {}", ['#[FrequencyLimit\AccessLimit]: $maxCount'], 7);
refused("#[AccessLimit(60)]\n#[ConcurrencyLimit(2, 60, action: 'a')] function f() {}", ['#[FrequencyLimit\ConcurrencyLimit]: $action', 'the same'], 7);
refused("#[ConcurrencyLimit(2, 60)]\n" . str_repeat('#[AccessLimit(60)]', 8) . ' function f() {}', ['at most 8 limits'], 7);

/* A missing import. */
$warning = fn (string $class, int $line) => "\nWarning: #[$class] limits nothing here: it means the class App\\$class, which does not exist. Add \"use FrequencyLimit\\$class;\" in code.php on line $line\n";
$call = ' function f() { echo 1; } f();';
$one = compiled("#[ConcurrencyLimit(2, 60)]$call", 0);
ok(str_contains($one, $warning('ConcurrencyLimit', 5)) && substr_count($one, 'Warning') === 1, "no import: $one");
$both = compiled("#[AccessLimit(60)]\n#[ConcurrencyLimit(2, 60)]$call", 0);
ok(str_contains($both, $warning('ConcurrencyLimit', 6)) && str_contains($both, $warning('AccessLimit', 5)), "neither import: $both");
same('1', rtrim(compiled("#[ConcurrencyLimit]$call #[\Attribute] final class ConcurrencyLimit {}", 0)), 'a class of the file');

/* The object. */
$attribute = (new ReflectionFunction(#[ConcurrencyLimit(limit: 2, seconds: 1.5, needLogin: true, action: 'a')] fn () => 1))->getAttributes()[0]->newInstance();
same([2, 1.5, true, 'a'], [$attribute->limit, $attribute->seconds, $attribute->needLogin, $attribute->action], 'its properties');
same([false, null], [(new ConcurrencyLimit(1, 2))->needLogin, (new ConcurrencyLimit(1, 2))->action], 'its defaults');
throws(InvalidArgument::class, ['非法参数', '$limit', '10000', '0 given'], fn () => new ConcurrencyLimit(0, 60), 'limit');
throws(InvalidArgument::class, ['$seconds', 'NAN given'], fn () => new ConcurrencyLimit(1, NAN), 'seconds');
throws(Error::class, ['once'], fn () => $attribute->__construct(1, 1), 'a second time');
throws(Error::class, ['readonly'], fn () => $attribute->limit = 1, 'a property');

/* Constants of the run time. */
$late = #[ConcurrencyLimit(LATE, 60), AccessLimit(60)] fn () => 1;
define('LATE', 0);
throws(InvalidArgument::class, ['#[FrequencyLimit\ConcurrencyLimit]: $limit', '0 given'], $late, 'a wrong constant');

/* By hand. */
same([null, null], [ConcurrencyLimit::enforce(), (fn () => ConcurrencyLimit::enforce())()], 'enforce() where there is no attribute');

done();
?>
--EXPECT--
done
