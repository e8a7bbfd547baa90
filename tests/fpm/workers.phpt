--TEST--
php-fpm: all workers share one count
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
$fpm = new Fpm();
$answers = $fpm->together(40, 'hold(100); return [getmypid(), FrequencyLimit::doHandle("shared", 1, 3600, 25)];');
same(25, count(array_filter(array_column($answers, 1))), 'admitted of 40');
same(4, count(array_unique(array_column($answers, 0))), 'by four workers');
same(4, count($fpm->workers()), 'which are the master\'s');
same(false, $fpm('return FrequencyLimit::doHandle("shared", 1, 3600, 25);'), 'exhausted');
$stats = $fpm('return FrequencyLimit\Monitor::stats();');
same(['shm:', 'memory'], [$stats['store'], $stats['segment']], 'in memory without a name');
ok($stats['workers'] >= 2, 'stats() count the workers: ' . $stats['workers']);
done();
?>
--EXPECT--
done
