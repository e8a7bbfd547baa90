--TEST--
Every algorithm has its Lua fragment, its model, its tests, its rows in the documents and its word in bin/ratelimit
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

$limit_h = readme('src/core/limit.h');
ok(preg_match('/#define RL_ALGORITHMS (\d+)/', $limit_h, $found), 'RL_ALGORITHMS');
$n = (int) $found[1];

/* As C calls them: "fixed_window". */
preg_match_all('/extern const rl_algorithm_ops rl_(\w+)_ops;/', readme('src/core/algorithm.h'), $found);
$names = $found[1];
same($n, count($names), 'operations in src/core/algorithm.h');
foreach ($names as $name) {
	ok(preg_match('/\bRL_' . strtoupper($name) . ' = (\d)/', $limit_h, $number), "src/core/limit.h: $name");
	ok(str_contains(readme('src/core/algorithm.c'), "&rl_{$name}_ops"), "src/core/algorithm.c: $name");
	ok(is_file(ROOT . "/src/core/$name.c"), "src/core/$name.c");
	$fragments = glob(ROOT . "/src/redis/lua/limiter/4?_$name.lua");
	same(1, count($fragments), "a Lua fragment of $name");
	ok(str_contains(file_get_contents($fragments[0]), "makers[$number[1]] ="), "the Lua fragment of $name has its number");
	ok(is_file(ROOT . "/tests/model/$name.inc"), "tests/model/$name.inc");
	foreach (['embedded', 'redis'] as $store) {
		$test = 'tests/random-programs/' . strtr(str_replace('calendar_window', 'calendar', $name), '_', '-') . "-$store.phpt";
		ok(is_file(ROOT . "/$test"), $test);
	}
}

/* As PHP calls them: "fixedWindow". */
$factories = array_values(array_map(fn (ReflectionMethod $method): string => $method->name,
	(new ReflectionClass(FrequencyLimit\Limit::class))->getMethods(ReflectionMethod::IS_STATIC)));
same($n, count($factories), 'factories of Limit');
foreach ($factories as $factory) {
	foreach (['README.md', 'ratelimit.php', 'docs/admissions.php', 'scripts/memory.php', 'bench/peers/ours.php'] as $file) {
		ok(str_contains(readme($file), "Limit::$factory("), "$file: $factory");
	}
	ok(preg_match("/^\\| `$factory\\(.*\\|\$/m", readme('docs/algorithms.md')), "docs/algorithms.md: a row of $factory");
	foreach (['tests/model/spec.inc', 'tests/model/generator.inc', 'tests/conformance/scenario.inc'] as $file) {
		ok(str_contains(readme($file), "'$factory'"), "$file: $factory");
	}
	ok(preg_match("/^kinds=.*\\b$factory\\b/m", readme('scripts/model.sh')), "scripts/model.sh: $factory");
}

done();
?>
--EXPECT--
done
