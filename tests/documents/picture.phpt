--TEST--
The pictures of docs/ are what their scripts draw today, and each has a text for readers without pictures
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/readme.inc';

[$exit, $drawn] = run_command(php_command([], [ROOT . '/docs/admissions.php']));
same(0, $exit, 'docs/admissions.php');
ok($drawn === readme('docs/admissions.svg'), 'docs/admissions.svg is what docs/admissions.php draws');

$folder = temp_folder();
[$exit, $output] = run_command(php_command([], [ROOT . '/docs/pictures.php', $folder]));
same([0, ''], [$exit, $output], 'docs/pictures.php');
$pages = array_map(readme(...), ['README.md', 'docs/redis.md', 'docs/operations.md', 'docs/limiters.md']);
foreach (['decision', 'sharers', 'edges', 'outage'] as $name) {
	ok(file_get_contents("$folder/$name.svg") === readme("docs/$name.svg"), "docs/$name.svg is what docs/pictures.php draws");
	ok((bool) preg_match("~!\[[^\]]{20,}\]\((docs/)?$name\.svg\)~", implode('', $pages)), "a page shows $name.svg, with a text for readers without pictures");
}

done();
?>
--EXPECT--
done
