--TEST--
An invalid #[RateLimit] is a compile error, or an InvalidArgument at the first call; one without its import is a warning
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/matrix.inc';
use FrequencyLimit\{AccessLimit, InvalidArgument, Limit, Limiter, RateLimit};

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
	$output = compiled("use FrequencyLimit\{AccessLimit, RateLimit}; echo 'ran';\n$code", 255);
	ok(preg_match('/Fatal error: .*' . implode('.*', array_map(fn ($part) => preg_quote($part, '/'), $parts)) . ".* in code.php on line $line\n/s", $output) === 1, "$code: $output");
	ok(!str_contains($output, 'ran'), "$code: nothing runs");
}

refused('#[RateLimit] function f() {}', ['#[FrequencyLimit\RateLimit]: $name is missing']);
refused('#[RateLimit("")] function f() {}', ['$name', '1 and 255', '0 given']);
refused('#[RateLimit(7)] function f() {}', ['$name', 'string', 'int given']);
refused('#[RateLimit("a", 0)] function f() {}', ['$cost', '1', '1000000000000', '0 given']);
refused('#[RateLimit("a", 1.5)] function f() {}', ['$cost', 'int|array', 'float given']);
refused('#[RateLimit("a", ["x" => -1])] function f() {}', ['$cost', 'names of the limits']);
refused('#[RateLimit("a", id: 5)] function f() {}', ['$id', 'string|array|null', 'int given']);
refused('#[RateLimit("a", id: "")] function f() {}', ['$id', 'name of a parameter']);
refused('#[RateLimit("a", id: ["x"])] function f() {}', ['$id', 'labels']);
refused('#[RateLimit("a", needLogin: 1)] function f() {}', ['$needLogin', 'bool', 'int given']);
refused('#[RateLimit("a", maxCount: 5)] function f() {}', ['no parameter $maxCount']);
refused('#[RateLimit("a", name: "b")] function f() {}', ['$name is given twice']);
refused('#[RateLimit("a", 1, null, false, 1)] function f() {}', ['at most 4 arguments', '5 given']);
refused("#[RateLimit('a')]\n#[RateLimit('a', 2)] function f() {}", ['$name must differ', '"a" given twice']);
refused('#[RateLimit("a")] interface I { function f(); }', ['interface or a trait']);
refused('#[RateLimit("a")] trait T { function f() {} }', ['interface or a trait']);
refused('#[RateLimit("a")] class C { private function f() {} public function __construct() {} }', ['declares no public method']);
refused('#[RateLimit("a", 0)] class C { function f() {} }', ['$cost', '0 given']);
refused('interface I { #[RateLimit("a")] function f(); }', ['without a body']);
refused('class C { #[RateLimit("a")] public $p; }', ['cannot target property']);
refused("#[AccessLimit(60)]\n#[RateLimit('a', 0)] function f() {}", ['#[FrequencyLimit\RateLimit]: $cost'], 7);
refused(implode('', array_map(fn ($i) => "#[RateLimit('a$i')]", range(1, 8))) . ' #[AccessLimit(60)] function f() {}', ['at most 8 limits']);

/* A missing import. */
$warning = "\nWarning: #[RateLimit] limits nothing here: it means the class App\\RateLimit, which does not exist. Add \"use FrequencyLimit\\RateLimit;\" in code.php on line 5\n";
foreach (['#[RateLimit("a")] function f() { echo 1; } f();', '#[RateLimit("a")] class C { function f() { echo 1; } } (new C)->f();'] as $code) {
	ok(str_contains(compiled($code, 0), $warning), "$code: no import");
}

/* At the first call. */
#[RateLimit('nowhere')]
function nowhere(): int { return 1; }
throws(InvalidArgument::class, ['#[FrequencyLimit\RateLimit]: $name', 'Limiter::define()', 'ratelimit.limiters', 'not set', '"nowhere" given'], nowhere(...), 'a name that is nowhere');
Limiter::define(new Limiter('nowhere', Limit::fixedWindow(1, 60)));
same(1, nowhere(), 'until it is defined');
Limiter::define(new Limiter('there', Limit::fixedWindow(1, 60), 'redis://127.0.0.1:1'));
throws(InvalidArgument::class, ['one store', '"there"'], #[RateLimit('nowhere'), RateLimit('there')] fn () => 1, 'two stores');
Limiter::define(new Limiter('many', array_fill(0, 8, Limit::slidingLog(1, 60))));
throws(InvalidArgument::class, ['at most 8 limits', '"many"'], #[RateLimit('nowhere'), RateLimit('many')] fn () => 1, 'nine limits');
throws(InvalidArgument::class, ['different names', '"nowhere" given twice'], #[AccessLimit(60, action: 'nowhere'), RateLimit('nowhere')] fn () => 1, 'an action of that name');
Limiter::define(new Limiter('wide', Limit::fixedWindow(9, 60)));
Limiter::define(new Limiter('labels', [Limit::fixedWindow(9, 60)->by('user'), Limit::fixedWindow(9, 60)->by('tenant')]));
#[RateLimit('wide', id: 'other')] function no_parameter(int $one, int ...$more): int { return 1; }
#[RateLimit('wide', id: 'more')] function variadic(int ...$more): int { return 1; }
#[RateLimit('wide', id: 'one')] function untyped($one = null): int { return 1; }
#[RateLimit('wide', ['x' => 1])] function no_limit(): int { return 1; }
#[RateLimit('labels', id: 'one')] function one_label(int $one): int { return 1; }
#[RateLimit('labels', id: ['user' => 'one', 'team' => 'one'])] function no_label(int $one): int { return 1; }
throws(InvalidArgument::class, ["RateLimit('wide')", '$id', 'no_parameter()', '"other" given'], fn () => no_parameter(1), 'no such parameter');
throws(InvalidArgument::class, ['variadic()', '"more" given'], fn () => variadic(1), 'a parameter of many');
foreach ([null, true, 1.5, [], new stdClass()] as $value) {
	throws(InvalidArgument::class, ["RateLimit('wide')", '$one must be an int or a string'], fn () => untyped($value), 'an argument that is no identity');
}
throws(InvalidArgument::class, ['$one', '1 and 255', '0 given'], fn () => untyped(''), 'an empty one');
same([1, 8], [untyped('x'), Limiter::named('wide')->peek('x', 0)->remaining], 'one that is');
throws(InvalidArgument::class, ['$cost', "'x'", 'none'], no_limit(...), 'no such limit');
throws(InvalidArgument::class, ["RateLimit('labels')", '$id must be an array', '2 (by())'], fn () => one_label(1), 'one parameter for two labels');
throws(InvalidArgument::class, ["RateLimit('labels')", '$id', 'labels'], fn () => no_label(1), 'no such label');

/* The object. */
$attribute = (new ReflectionFunction(#[RateLimit('a', ['x' => 2], 'y', true)] fn () => 1))->getAttributes()[0]->newInstance();
same(['a', ['x' => 2], 'y', true], [$attribute->name, $attribute->cost, $attribute->id, $attribute->needLogin], 'its properties');
same([1, null, false], [(new RateLimit('a'))->cost, (new RateLimit('a'))->id, (new RateLimit('a'))->needLogin], 'its defaults');
same(['t' => 'u'], (new RateLimit('a', id: ['t' => 'u']))->id, 'parameters by labels');
throws(InvalidArgument::class, ['非法参数', '$name', '0 given'], fn () => new RateLimit(''), 'name');
throws(InvalidArgument::class, ['$cost', '0 given'], fn () => new RateLimit('a', 0), 'cost');
throws(InvalidArgument::class, ['$id', 'labels'], fn () => new RateLimit('a', id: [5]), 'id');
throws(TypeError::class, ['$id', 'array|string|null', 'stdClass given'], fn () => new RateLimit('a', id: new stdClass()), 'the type of id');
throws(Error::class, ['once'], fn () => $attribute->__construct('a'), 'a second time');
throws(Error::class, ['readonly'], fn () => $attribute->name = 'b', 'a property');

/* Arrays of the code, in memory that opcache protects, have no count of references; those of a program may have references. */
const NO_COSTS = [];
$attribute = (new ReflectionFunction(#[RateLimit('a', NO_COSTS)] fn () => 1))->getAttributes()[0]->newInstance();
same([[], []], [$attribute->cost, (new RateLimit('a', 1, []))->id], 'empty arrays');
[$two, $parameter] = [2, 'p'];
same([['x' => 2], ['t' => 'p']], [($attribute = new RateLimit('a', ['x' => &$two], ['t' => &$parameter]))->cost, $attribute->id], 'references');
if (opcache_file() !== null) {
	$file = temp_folder() . '/protected.php';
	file_put_contents($file, '<?php for ($i = 0; $i < 3; $i++) { $a = new FrequencyLimit\RateLimit("a", ["x" => 1], ["t" => "u"]); unset($a); } echo "ran";');
	same([0, 'ran'], run_command(plain_php(['opcache.protect_memory' => '1'] + OPCACHE, [$file])), 'arrays that opcache protects');
}
same([null, null], [RateLimit::enforce(), (fn () => RateLimit::enforce(true))()], 'enforce() where there is no attribute');

/* Names that no limit could have stay out of the headers of several. */
foreach (['登录', "a\r\nX-Injected: 1", str_repeat('n', 65), 'wide'] as $name) {
	Limiter::define(new Limiter($name, Limit::fixedWindow(9, 60)));
}
Limiter::define(new Limiter('other', Limit::fixedWindow(1, 60)));
foreach ([
	[#[RateLimit('登录'), RateLimit('wide')] fn () => FrequencyLimit\Request::lastResult(), '"default";q=9;w=60, "wide";q=9;w=60'],
	[#[RateLimit("a\r\nX-Injected: 1"), RateLimit('other')] fn () => FrequencyLimit\Request::lastResult(), '"default";q=9;w=60, "other";q=1;w=60'],
	[#[RateLimit('nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn'), RateLimit('wide')] fn () => FrequencyLimit\Request::lastResult(), '"default";q=9;w=60, "wide";q=9;w=60'],
] as [$call, $policy]) {
	same($policy, $call()->headers()['RateLimit-Policy'], 'the names of two limiters');
}
done();
?>
--EXPECT--
done
