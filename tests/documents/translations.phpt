--TEST--
A Chinese page fails the check when its English page has changed or has no twin; both have the same code and commands
--EXTENSIONS--
ratelimit
tokenizer
--FILE--
<?php
require __DIR__ . '/readme.inc';

[$exit, $output] = run_command([ROOT . '/scripts/translations.sh', '--check']);
same([0, ''], [$exit, $output], 'pages that are behind');

/* A copy of the pages, to break. */
$copy = temp_folder();
foreach (['*.md', '*.ini', 'docs/*.md', 'docs/zh-CN/*.md', 'packages/*/README*.md', 'scripts/translations.sh'] as $pattern) {
	foreach (glob(ROOT . "/$pattern") as $file) {
		@mkdir(dirname($copy . substr($file, strlen(ROOT))), 0700, true);
		copy($file, $copy . substr($file, strlen(ROOT)));
	}
}
chmod("$copy/scripts/translations.sh", 0700);
$check = fn (): array => run_command(["$copy/scripts/translations.sh"]);
same([0, ''], $check(), 'the copy');
foreach ([
	'docs/recipes.md' => 'docs/zh-CN/recipes.md',
	'docs/operations.md' => 'docs/zh-CN/operations.md',
	'ratelimit.ini' => 'ratelimit.zh-CN.ini',
] as $english => $chinese) {
	$text = file_get_contents("$copy/$english");
	file_put_contents("$copy/$english", "$text; one more sentence\n");
	[$exit, $output] = $check();
	same([1, 1], [$exit, preg_match("~^$chinese: $english has changed~m", $output)], "$english: $output");
	run_command(["$copy/scripts/translations.sh", '--stamp', $chinese]);
	same([0, ''], $check(), "$english: translated");
	unlink("$copy/$chinese");
	[$exit, $output] = $check();
	same([1, 1], [$exit, preg_match("~^$english: no Chinese page~m", $output)], "$chinese is missing: $output");
	copy(ROOT . "/$chinese", "$copy/$chinese");
	file_put_contents("$copy/$english", $text);
}

/** Returns the examples of a page without their comments and blanks. */
function code_of(string $page): array
{
	return array_values(array_map(function (string $code): string {
		$tokens = array_filter(token_get_all("<?php $code"), fn ($token) => !in_array($token[0], [T_COMMENT, T_DOC_COMMENT, T_WHITESPACE], true));
		return implode(' ', array_map(fn ($token) => is_array($token) ? $token[1] : $token, $tokens));
	}, php_blocks(readme($page))));
}
/** Returns the commands of a page with their output. */
function commands_of(string $page): array
{
	preg_match_all('/^```console\n(.*?)^```$/ms', readme($page), $blocks);
	return $blocks[1];
}
$blocks = 0;
foreach ([...glob(ROOT . '/docs/zh-CN/*.md'), ...glob(ROOT . '/packages/*/README.zh-CN.md')] as $file) {
	$chinese = substr($file, strlen(ROOT) + 1);
	$page = str_replace(['zh-CN/', '.zh-CN'], '', $chinese);
	if (!is_file(ROOT . "/$page")) {
		continue;
	}
	same(code_of($page), code_of($chinese), "the code of $page");
	same(commands_of($page), commands_of($chinese), "the commands of $page");
	$blocks += count(code_of($page));
}
ok($blocks >= 10, "code was found: $blocks");
done();
?>
--EXPECT--
done
