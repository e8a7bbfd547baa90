--TEST--
Each Composer package has its license, its tests, and a README with lines to copy and a picture of the result
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

/* Composer finds the packages in a checkout; a registry has none before a release. */
const PATH_REPOSITORY = "composer config repositories\\.ratelimit path '/path/to/ratelimit/packages/\\*'.*\n";

/* Where the source is: fields that a release fills in. */
$composer = json_decode(readme('composer.json'), true, 16, JSON_THROW_ON_ERROR);
$source = [$composer['homepage'], $composer['support']];
ok(str_contains(readme(), "Source: `$composer[homepage]`") && str_contains(readme('packaging/alpine/APKBUILD'), "url=\"$composer[homepage]\""), 'the source is named once');

$folders = glob(ROOT . '/packages/*', GLOB_ONLYDIR);
same(7, count($folders), 'packages');
foreach ($folders as $folder) {
	$name = basename($folder);
	$package = "packages/$name";
	$composer = json_decode(readme("$package/composer.json"), true, 16, JSON_THROW_ON_ERROR);
	same(["ratelimit/$name", 'BSD-3-Clause', false], [$composer['name'], $composer['license'], isset($composer['version'])], "$name: composer.json");
	same(readme('LICENSE'), readme("$package/LICENSE"), "$name: LICENSE");
	same($source, [$composer['homepage'], $composer['support']], "$name: where the source is");
	ok(is_dir("$folder/tests") && is_file("$folder/phpunit.xml.dist"), "$name: tests");
	ok(str_contains(readme("$package/.gitattributes"), "/tests export-ignore\n"), "$name: its archive has no tests");

	$readme = readme("$package/README.md");
	ok((bool) preg_match("~^```sh\n(?:scripts/packages\.sh generate .*\n)?" . PATH_REPOSITORY . "composer require (?:--dev )?'ratelimit/$name:\*@dev'~m", $readme), "$name: the first lines to copy");
	ok((bool) preg_match('/^!\[[^\]]{20,}\]\(([\w-]+\.svg)\)$/m', $readme, $found), "$name: a picture with a text");
	ok(str_ends_with(rtrim(readme("$package/$found[1]")), "</svg>"), "$name: the picture");
	ok((bool) preg_match("~(?:packages|ratelimit)/$name\\b~", readme() . readme('docs/testing.md')), "$name: the documents name it");
}

/* Nor do the blocks of other pages take a package from a registry. */
foreach (['README.md', 'README.zh-CN.md', ...array_map(fn ($file) => substr($file, strlen(ROOT) + 1), [...glob(ROOT . '/docs/*.md'), ...glob(ROOT . '/docs/zh-CN/*.md'), ...glob(ROOT . '/packages/*/README*.md')])] as $page) {
	preg_match_all('/^```(?:sh|console)\n(.*?)^```/ms', readme($page), $blocks);
	foreach ($blocks[1] as $block) {
		ok(!preg_match("~^.*(?:composer require|pie install) (?:--dev )?'?ratelimit/[\w-]+(?!:\*@dev|[\w-]).*~m", $block, $found), "$page: " . ($found[0] ?? ''));
	}
}

/* The extension's own. */
$composer = json_decode(readme('composer.json'), true, 16, JSON_THROW_ON_ERROR);
same('BSD-3-Clause', $composer['license'], 'the license of the extension');
foreach ($composer['bin'] as $program) {
	ok(is_executable(ROOT . "/$program"), "bin: $program");
}
foreach (['/tests/*', '/packages/*/*', '/docs/*.png', '/docs/*.svg'] as $path) {
	ok(str_contains(readme('.gitattributes'), "$path export-ignore\n"), "the archive has no $path");
}

done();
?>
--EXPECT--
done
