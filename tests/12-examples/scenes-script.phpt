--TEST--
examples/scenes.php tells the three scenes as they are, and ends with the clock moved on
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';

[$exit, $output] = run_command(php_command([], [__DIR__ . '/../../examples/scenes.php']));
same(0, $exit, 'it ends well');

$says = fn (string $pattern) => ok(preg_match("/$pattern/m", $output) === 1, "$pattern in:\n$output");
$says('^  comment: 10 in 30 s +12 +10 +2  过于频繁 +30 s, limited until ');
$says('^  like: 10 in 10 s, or banned 1 h +12 +10 +2  过于频繁,被禁止操作1小时 +1 h 00 min 00 s, banned until ');
$says('^  upload: 100, then until midnight +103 +100 +3  超出今日上线 +\d.*, banned until 00:00:00$');
$says('^  8 workers at once: 100 in 60 s +400 +100 +300$');
$says('^  \d\d:\d\d:\d\d\.000  like +refused: 过于频繁');
$says('^  \d\d:\d\d:\d\d\.999  comment +refused: 过于频繁$');
$says('^  \d\d:\d\d:\d\d\.000  comment +allowed$');
$says('^  \d\d:\d\d:\d\d\.000  like +allowed$');
$says('^  23:59:59\.999  upload +refused: 超出今日上线$');
$says('^  00:00:00\.000  upload +allowed$');

done();
?>
--EXPECT--
done
