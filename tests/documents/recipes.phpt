--TEST--
Each recipe of docs/recipes.md runs, and returns what its comments promise
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/readme.inc';

$prelude = 'require ' . var_export(__DIR__ . '/../include/assert.inc', true) . '; FrequencyLimit\Clock::freeze(time());';

$page = readme('docs/recipes.md');
$checks = $recipes = 0;
foreach (php_blocks($page) as $line => $code) {
	[$exit, $output] = run_php($prelude . "\n" . with_checks($code, 'docs/recipes.md', $line, $checks));
	same([0, ''], [$exit, $output], "the recipe in docs/recipes.md:$line");
	$recipes++;
}
same(substr_count($page, "\n## "), $recipes, 'each recipe has one piece of code');
ok($recipes >= 6 && $checks >= 20, "recipes and checks were found: $recipes and $checks");

done();
?>
--EXPECT--
done
