--TEST--
Links and commands of the documentation lead to files and headings that exist
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

$links = 0;
$files = array_map(fn (string $file): string => substr($file, strlen(ROOT . '/')), [...glob(ROOT . '/*.md'), ...glob(ROOT . '/docs/*.md'), ...glob(ROOT . '/docs/zh-CN/*.md')]);
$packages = array_map(fn (string $file): string => substr($file, strlen(ROOT . '/')), glob(ROOT . '/packages/*/README.md'));
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
		$links++;
	}
}
ok($links > 20, "links were found: $links");

preg_match_all('~^(scripts/\S+)~m', readme(), $found);
same(3, count($found[1]), 'the commands');
foreach ($found[1] as $command) {
	ok(is_executable(ROOT . "/$command"), $command);
}

done();
?>
--EXPECT--
done
