--TEST--
docs/internals.md has one line for each file of src, and every file and function that it names exists
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

/** "core/algorithm/counter.[ch]" names two. */
function expand(string $name): array
{
	return str_ends_with($name, '.[ch]') ? [substr($name, 0, -4) . 'c', substr($name, 0, -4) . 'h'] : [$name];
}

$page = readme('docs/internals.md');
ok(preg_match('/^## File map\n(.*?)^## /ms', $page, $section), 'the page has a file map');
preg_match_all('/^\| `([^`]+)` \| \S/m', $section[1], $rows);
$named = array_merge(...array_map(expand(...), $rows[1]));
$files = source_files();
ok(count($files) > 100, 'src was found');
same([], array_values(array_diff($files, $named)), 'files of src without a line');
same([], array_values(array_diff($named, $files)), 'lines for files that do not exist');
same([], array_keys(array_filter(array_count_values($named), fn (int $n): bool => $n > 1)), 'files with two lines');

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
