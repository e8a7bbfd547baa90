--TEST--
Each PHP example of the README runs, and gives what its comments say
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/readme.inc';

$prelude = 'require ' . var_export(__DIR__ . '/../include/assert.inc', true) . '; FrequencyLimit\Clock::freeze(time()); $userId = 7;';

$checks = 0;
$blocks = php_blocks(readme());
foreach ($blocks as $line => $code) {
	[$exit, $output] = run_php($prelude . "\n" . with_checks($code, $line, $checks));
	same([0, ''], [$exit, $output], "the example in line $line");
}
ok(count($blocks) >= 10 && $checks >= 30, 'examples and checks were found: ' . count($blocks) . " and $checks");

done();
?>
--EXPECT--
done
