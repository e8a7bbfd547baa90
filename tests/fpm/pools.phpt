--TEST--
php-fpm: two pools, of different users if possible, share the master's counts across a reload
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
$users = is_root() ? ['user' => 'daemon', 'group' => 'daemon'] : [];
$fpm = new Fpm([], ['www' => ['pm.max_children' => '2'], 'other' => ['pm.max_children' => '2'] + $users]);
$once = fn (int $number) => "return FrequencyLimit::doHandle('pools', 1, 3600, $number);";
same(true, $fpm($once(1), 'www'), 'the first pool');
same(false, $fpm($once(1), 'other'), 'the second pool');
same(true, $fpm($once(2), 'other'), 'counts for both');
$fpm->reload();
same([false, false], [$fpm($once(2), 'www'), $fpm($once(2), 'other')], 'after a reload');
same(true, $fpm($once(3), 'other'), 'and on');
same(false, $fpm($once(3), 'www'), 'and on');
done();
?>
--EXPECT--
done
