--TEST--
Every test has a title of its own, of at most 120 characters
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

$titles = [];
foreach (glob(ROOT . '/tests/*/*.phpt') as $file) {
	$name = basename(dirname($file)) . '/' . basename($file);
	$lines = file($file, FILE_IGNORE_NEW_LINES);
	$title = $lines[1] ?? '';
	same('--TEST--', $lines[0] ?? '', "$name: the first line");
	ok($title !== '' && trim($title) === $title && !str_ends_with($title, '.'), "$name: a title without a full stop");
	$length = preg_match_all('/./su', $title);
	ok($length <= 120, "$name: a title of $length characters, at most 120 are allowed");
	ok(!isset($titles[$title]), "$name: the title of " . ($titles[$title] ?? ''));
	$titles[$title] = $name;
}
ok(count($titles) > 200, 'the tests');
done();
?>
--EXPECT--
done
