--TEST--
Each function that a document names exists, in the file that it names
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

/** Returns the path of a file that a document names, from the root or from src; null without such a file. */
function path_of(string $file): ?string
{
	foreach ([$file, "src/$file"] as $path) {
		if (is_file(ROOT . "/$path")) {
			return $path;
		}
	}
	return null;
}

/** Returns whether a text in C or PHP has the function, a macro or a table of that name. */
function defines(string $text, string $function): bool
{
	[$class, $name] = str_contains($function, '::') ? explode('::', $function) : ['', $function];
	return preg_match("/^(?!\\s|\\/|\\*).*\\b$name\\(|^\\s*[\\w ]*\\bfunction &?$name\\(|ZEND_METHOD\\(\\w*$class, $name\\)/m", $text) === 1;
}

/** @return string[] what is wrong in a document */
function wrong(string $text): array
{
	static $all;
	$all ??= implode("\n", array_map(fn ($file) => file_get_contents($file->getPathname()),
		iterator_to_array(new RegexIterator(new RecursiveIteratorIterator(new RecursiveDirectoryIterator(ROOT . '/src')), '/\.[ch]$/'), false)));
	$wrong = [];
	preg_match_all('/`([\w:]+)\(\)`\s+in\s+`([\w\/.-]+\.(?:c|h|php|inc|phpt))`/', $text, $found, PREG_SET_ORDER);
	foreach ($found as [, $function, $file]) {
		$path = path_of($file);
		if ($path === null || !defines(file_get_contents(ROOT . "/$path"), $function)) {
			$wrong[] = "$function() in $file";
		}
	}
	preg_match_all('/`((?:php_ratelimit|rl)_\w+)\(\)`/', $text, $found);
	foreach (array_unique($found[1]) as $function) {
		if (!defines($all, $function)) {
			$wrong[] = "$function()";
		}
	}
	return $wrong;
}

same(['rl_gone() in src/guard/guard.c', 'rl_gone()', 'rl_never()'], wrong('`rl_gone()` in `src/guard/guard.c`, `rl_guard_ask()` in `guard/guard.c`, `rl_never()`'),
	'what is wrong is found');
$named = 0;
foreach (pages() as $page) {
	$text = readme($page);
	$named += preg_match_all('/`(?:php_ratelimit|rl)_\w+\(\)`/', $text);
	foreach (wrong($text) as $what) {
		failed("$page: $what is not there");
	}
}
ok($named > 60, "the documents name $named functions");

/** @return string[] the documents for those who read the code */
function pages(): array
{
	return [...array_map(fn ($file) => 'docs/' . basename($file), glob(ROOT . '/docs/*.md')), 'CONTRIBUTING.md', 'SECURITY.md', 'tests/README.md'];
}
done();
?>
--EXPECT--
done
