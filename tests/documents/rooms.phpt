--TEST--
docs/internals.md has the sentence of each folder of src, and every file and function that it names exists
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

/** The files of src, without those that the build makes. */
function source_files(): array
{
	$files = [];
	foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator(ROOT . '/src', FilesystemIterator::SKIP_DOTS)) as $file) {
		$name = substr($file->getPathname(), strlen(ROOT . '/src/'));
		if (preg_match('/\.(c|h|lua)$/', $name) && !str_ends_with($name, '_lua.h')) {
			$files[] = $name;
		}
	}
	sort($files);
	return $files;
}

$page = readme('docs/internals.md');
ok(preg_match('/^## The rooms\n(.*?)^## /ms', $page, $section), 'the page has the rooms');
preg_match_all('/^\| `src\/([^`]+)` \| `([^`]+)` \| (.+) \|$/m', $section[1], $rows, PREG_SET_ORDER);
ok(count($rows) <= 40, count($rows) . ' lines');
$files = source_files();
ok(count($files) > 100, 'src was found');
$sizes = array_count_values(array_map(dirname(...), $files));
unset($sizes['.']);
$named = array_column($rows, 1);
same([], array_values(array_diff(array_keys($sizes), $named)), 'folders of src without a line');
same([], array_values(array_diff($named, array_keys($sizes))), 'lines for folders that do not exist');
same([], array_filter($sizes, fn (int $n): bool => $n > 22), 'folders with more than some 20 files');
foreach ($rows as [, $folder, $header, $sentence]) {
	$top = preg_replace('~\s+(\*|--)?\s*~', ' ', substr(file_get_contents(ROOT . "/src/$folder/$header"), 0, 400));
	$sentence = str_replace('`', '', $sentence);
	ok(preg_match('~^(/\*|--) ' . preg_quote("src/$folder: $sentence", '~') . '~', $top), "src/$folder/$header does not begin with: src/$folder: $sentence");
}

/* In the rest of the page: "core/decide/limiter.c", "src/shm/segment/hash.h"; "rl_table_find()". */
preg_match_all('~`(?:src/)?((?:core|shm|guard|redis|php)/[\w/]+\.(?:c|h|lua))`~', $page, $mentioned);
same([], array_values(array_diff($mentioned[1], $files)), 'files that the text names and that do not exist');

$code = implode("\n", array_map(fn (string $file): string => file_get_contents(ROOT . "/src/$file"), $files));
preg_match_all('/`((?:rl|php_ratelimit)_\w+)\(\)`/', $page, $functions);
ok(count($functions[1]) > 20, 'functions were found: ' . count($functions[1]));
foreach (array_unique($functions[1]) as $function) {
	ok(preg_match("/\\b$function\\(/", $code), "$function() does not exist");
}

done();
?>
--EXPECT--
done
