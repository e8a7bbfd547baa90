--TEST--
Each PHP example of the README and the guides runs, and returns what its comments promise
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/readme.inc';

$prelude = 'require ' . var_export(__DIR__ . '/../include/assert.inc', true) . '; FrequencyLimit\Clock::freeze(time()); $userId = 7;';

$checks = $examples = 0;
foreach (['README.md', 'README.zh-CN.md', 'docs/from-the-article.md', 'docs/limiters.md', 'docs/http.md', 'docs/operations.md', 'docs/settings.md', 'docs/redis.md', 'docs/testing.md'] as $file) {
	foreach (php_blocks(readme($file)) as $line => $code) {
		[$exit, $output] = run_php($prelude . "\n" . with_checks($code, $file, $line, $checks));
		ok($exit === 0 && !preg_match('/FAILED|Warning|Notice|Deprecated|Fatal/', $output), "the example in $file:$line: $output");
		$examples++;
	}
}
ok($examples >= 10 && $checks >= 30, "examples and checks were found: $examples and $checks");

done();
?>
--EXPECT--
done
