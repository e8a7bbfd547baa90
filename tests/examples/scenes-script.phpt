--TEST--
examples/scenes.php plays the three scenes, and advances the clock to the end of each refusal
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
$says('^  10 comments in 30 s +12 +10 +2  过于频繁 +30 s +\d\d:\d\d:\d\d$');
$says('^  10 likes in 10 s +12 +10 +2  过于频繁,被禁止操作1小时 +banned 1 h +\d\d:\d\d:\d\d$');
$says('^  100 uploads a day +103 +100 +3  超出今日上线 +banned \d.* +00:00:00$');
$says('^  8 workers, 100 in 60 s +400 +100 +300$');
$says('^ +10.000 s  \d\d:\d\d:\d\d\.000  like +refused: 过于频繁');
$says('^ +29.999 s  \d\d:\d\d:\d\d\.999  comment +refused: 过于频繁$');
$says('^ +30.000 s  \d\d:\d\d:\d\d\.000  comment +allowed$');
$says('^ +3 599.999 s  \d\d:\d\d:\d\d\.999  like +refused');
$says('^ +3 600.000 s  \d\d:\d\d:\d\d\.000  like +allowed$');
$says('^ +\S.* s  23:59:59\.999  upload +refused: 超出今日上线$');
$says('^ +\S.* s  00:00:00\.000  upload +allowed$');

done();
?>
--EXPECT--
done
