--TEST--
Links and commands of the documentation lead to files and headings that exist, in the release archive, too
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

/** As GitHub makes them of headings. */
function anchors(string $markdown): array
{
	preg_match_all('/^#+ (.*)$/m', $markdown, $found);
	return array_map(fn (string $heading): string =>
		str_replace(' ', '-', preg_replace('/[^\w\- ]/u', '', strtolower($heading))), $found[1]);
}

/** Whether the release archive has a file or folder: the last rule of .gitattributes for it and for each folder above decides. */
function is_in_archive(string $path): bool
{
	static $rules = null;
	if ($rules === null) {
		preg_match_all('~^/(\S+) (-?)export-ignore$~m', readme('.gitattributes'), $rules, PREG_SET_ORDER);
	}
	for ($at = $path; $at !== '.'; $at = dirname($at)) {
		$last = array_filter($rules, fn (array $rule): bool => fnmatch($rule[1], $at, FNM_PATHNAME | FNM_PERIOD));
		if ($last !== [] && end($last)[2] === '') {
			return false;
		}
	}
	return true;
}
same([false, true, false, true, false], array_map('is_in_archive', ['docs/app.png', 'docs/redis.md', 'scripts/test.sh', 'bin/one-file.sh', 'packages/laravel/src/x.php']), 'the archive');

$links = 0;
$files = array_map(fn (string $file): string => substr($file, strlen(ROOT . '/')), [...glob(ROOT . '/*.md'), ...glob(ROOT . '/docs/*.md'), ...glob(ROOT . '/docs/zh-CN/*.md')]);
$packages = array_map(fn (string $file): string => substr($file, strlen(ROOT . '/')), glob(ROOT . '/packages/*/README*.md'));
foreach ([...$files, ...$packages, 'examples/README.md', 'tests/README.md'] as $file) {
	preg_match_all('/\]\(([^)\s]+)\)/', readme($file), $found);
	foreach ($found[1] as $link) {
		if (preg_match('~^https?://~', $link)) {
			continue;
		}
		[$path, $anchor] = explode('#', $link, 2) + [1 => ''];
		$target = $path === '' ? $file : preg_replace('~^\./|[\w-]+/\.\./~', '', dirname($file) . "/$path");
		ok(file_exists(ROOT . "/$target"), "$file: $link");
		ok($anchor === '' || in_array($anchor, anchors(readme($target)), true), "$file: $link");
		ok(!is_in_archive($file) || is_in_archive(rtrim($target, '/')) || preg_match('/\.(png|svg)$/', $target), "$file: the release archive has no $link");
		$links++;
	}
}
ok($links > 20, "links were found: $links");

preg_match_all('~`(scripts/[\w-]+\.sh)~', readme(), $found);
same(5, count($found[1]), 'the commands');
foreach ($found[1] as $command) {
	ok(is_executable(ROOT . "/$command"), $command);
}

done();
?>
--EXPECT--
done
