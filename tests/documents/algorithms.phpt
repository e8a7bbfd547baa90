--TEST--
Every algorithm has its code, Lua, factory, text form, model, random programs, bounds and documentation
--EXTENSIONS--
ratelimit
--FILE--
<?php
/* RL_ALGORITHM_ROWS in src/core/limit/limit.h is the list of the algorithms. A new one fails here until each of its parts exists.
 * tests/c/guard/deny_key_test.c requires its row for the deny cache's key. */
require __DIR__ . '/readme.inc';
require __DIR__ . '/../model/model.inc';
require ROOT . '/ratelimit.php';

use FrequencyLimit\Limit;
use FrequencyLimit\Page\Counter;
use FrequencyLimit\Page\LimitText;

/* Parts that an algorithm cannot have, with the reason. */
const WITHOUT = [
	'concurrent' => [
		'tests/conformance/scenario.inc' => 'the scenarios call consume(), which takes no place; tests/permits has its own',
		'tests/documents/worst-cases.phpt' => 'it bounds the calls at a time, not those of a period',
		'docs/admissions.php' => 'the calls of the picture take no time',
		'bench/peers/ours.php' => 'the benchmark calls consume(), and its peers have no such limit',
	],
];

function cannot_have(string $name, string $file): bool
{
	return isset(WITHOUT[$name][$file]);
}

/** @return array<string, int> the names in lower case, with their numbers */
function algorithms(): array
{
	preg_match_all('/^ ROW\((\d+), (RL_[A-Z_]+), (\w+), "\w+", (?:PERIOD|OWN), \w+, \w+\)/m', readme('src/core/limit/limit.h'), $found);
	same(array_map(fn (string $name): string => 'RL_' . strtoupper($name), $found[3]), $found[2], 'the names of a row');
	return array_combine($found[3], array_map(intval(...), $found[1]));
}

/** @return string[] the names of Limit's factories */
function factories(): array
{
	$methods = (new ReflectionClass(Limit::class))->getMethods(ReflectionMethod::IS_STATIC);
	$methods = array_filter($methods, fn (ReflectionMethod $method): bool => !in_array($method->name, ['parse', '__set_state'], true));
	return array_map(fn (ReflectionMethod $method): string => $method->name, $methods);
}

/** fixed_window => FixedWindow */
function camel(string $name): string
{
	return str_replace('_', '', ucwords($name, '_'));
}

/** A calendar window's factory has the short name. */
function factory_of(string $name): string
{
	return $name === 'calendar_window' ? 'calendar' : lcfirst(camel($name));
}

/** @return string[] the file names that match */
function names(string $pattern): array
{
	return array_map(basename(...), glob(ROOT . "/$pattern"));
}

/** @return array<string, string> text form => PHP expression, from the grammar in ratelimit.php */
function text_forms(): array
{
	preg_match_all('/^(\S+) {2,}(Limit::\S.*)$/m', LimitText::GRAMMAR, $found);
	return array_combine($found[1], $found[2]);
}

function has_code(string $name, int $number): void
{
	$enumerator = 'RL_' . strtoupper($name);
	ok(is_file(ROOT . "/src/core/algorithm/$name.c"), "$name: src/core/algorithm/$name.c");
	$lua = implode(array_map(file_get_contents(...), glob(ROOT . "/src/redis/lua/limiter/[0-9][0-9]_$name.lua")));
	ok(str_contains($lua, 'if needed >= ' . 2 ** (7 - $number) . " then"), "$name: its step in src/redis/lua/limiter, with the number $number");
	ok(str_contains($lua, "algorithms[$number] = {"), "$name: the rest of it in src/redis/lua/limiter, with the number $number");
	ok(str_contains(readme('tests/c/guard/deny_key_test.c'), "{{$enumerator}, "), "$name: a row in tests/c/guard/deny_key_test.c");
}

function has_factory(string $name): void
{
	$factory = factory_of($name);
	ok(in_array($factory, factories(), true), "$name: Limit::$factory()");
	$texts = array_keys(array_filter(text_forms(), fn (string $php): bool => str_starts_with($php, "Limit::$factory(")));
	same(1, count($texts), "$name: a text form in LimitText::GRAMMAR");
	foreach ($texts as $text) {
		ok(Limit::parse($text) == eval('use FrequencyLimit\{Limit, Period}; return ' . text_forms()[$text] . ';'), "$name: $text is " . text_forms()[$text]);
		same('accepted', Counter::of('documents', '7', [$text])->peek()->reason->value, "$name: the page and the command show $text");
	}
}

function has_model(string $name): void
{
	$class = 'FrequencyLimit\\Polyfill\\Core\\' . camel($name);
	$file = 'packages/polyfill/src/Polyfill/Core/' . camel($name) . '.php';
	$kind = factory_of($name);
	ok(is_file(ROOT . "/$file") && is_subclass_of($class, FrequencyLimit\Polyfill\Core\LimitState::class), "$name: $class in $file");
	same($class::ALGORITHM, constant('FrequencyLimit\Polyfill\Core\Algorithm::' . strtoupper($name)), "$name: its number");
	ok(in_array($kind, (new ReflectionClass(Model\Spec::class))->getConstants(), true), "$name: a constant in tests/model/spec.inc");
	ok(in_array($kind, Model\Generator::KINDS, true), "$name: $kind in the KINDS of tests/model/generator.inc");
}

function has_bounds(string $name): void
{
	$factory = factory_of($name);
	$expected = fn (string $file): bool => !cannot_have($name, $file);
	$scenarios = 'tests/conformance/scenario.inc';
	same($expected($scenarios), preg_match("/^const ALGORITHMS = .*'$factory'/m", readme($scenarios)) === 1,
		"$name: $factory in the ALGORITHMS of $scenarios");
	$worst = 'tests/documents/worst-cases.phpt';
	same($expected($worst), str_contains(readme($worst), "['$factory', "), "$name: a row in $worst");
}

function is_documented(string $name): void
{
	ok(str_contains(readme('docs/limiters.md'), '| `' . factory_of($name) . '('), "$name: a row in docs/limiters.md");
	foreach (['README.md', 'docs/admissions.php', 'bench/memory.php', 'bench/peers/ours.php'] as $file) {
		same(!cannot_have($name, $file), str_contains(readme($file), 'Limit::' . factory_of($name) . '('), "$name: its factory in $file");
	}
	$words = ucfirst(str_replace('_', ' ', $name));
	ok(preg_match("/^\*\*$words\.?\*\*/m", readme('docs/semantics.md')) === 1, "$name: **$words** in docs/semantics.md");
}

$algorithms = algorithms();
same(range(1, max(1, count($algorithms))), array_values($algorithms), 'the numbers of RL_ALGORITHM_ROWS');
foreach ($algorithms as $name => $number) {
	has_code($name, $number);
	has_factory($name);
	has_model($name);
	has_bounds($name);
	is_documented($name);
}

/* Each part belongs to an algorithm. */
$names = array_keys($algorithms);
$kinds = array_map(factory_of(...), $names);
/* every() makes a calendar window; none() has no algorithm. */
same(['every', 'none'], array_values(array_diff(factories(), $kinds)), 'factories without an algorithm');
same(count($algorithms), count(names('src/redis/lua/limiter/4[0-9]_*.lua')), 'Lua fragments of algorithms');
same(count($algorithms), count(names('src/redis/lua/limiter/2[0-9]_*.lua')), 'Lua fragments of steps');

/* The long runs and the tests play every kind; some kinds are for Redis only. */
preg_match("/^\t+kinds='(.*)'$/m", readme('scripts/long.sh'), $kinds);
preg_match("/ more='(.*)'$/m", readme('scripts/long.sh'), $more);
$of_both = explode(' ', $kinds[1] ?? '');
$of_redis = [...$of_both, ...explode(' ', $more[1] ?? '')];
same([...Model\Generator::KINDS, ...Model\Generator::WITH_LEASES], $of_redis, 'the kinds of scripts/long.sh model');
$tests = implode(array_map(file_get_contents(...), glob(ROOT . '/tests/random-programs/*.phpt')));
foreach ($of_redis as $kind) {
	ok(preg_match("/^(.*)\n\\\$kind = '$kind';$/m", $tests, $found) === 1, "a test in tests/random-programs plays $kind");
	same(!in_array($kind, $of_both, true), ($found[1] ?? '') === "\$stores = ['stopped redis'];", "$kind on both stores");
}
done();
?>
--EXPECT--
done
