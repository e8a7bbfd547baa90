--TEST--
200 concurrent calls on one key: exactly the limit passes, no call gets an error
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('real', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
$store = each_store('real', 'redis');
foreach ($store->name() === 'redis' ? [57] : [1, 57, 200] as $number) {
	same($number, array_sum(in_processes(200, fn () => (int) FrequencyLimit::doHandle("c$number", 1, 3600, $number))), "limit $number");
}
if ($store->name() === 'redis') {
	same('57', ($store->server)('GET', 'act:limit:c57:1'), 'counted');
}
same(0, FrequencyLimit\Monitor::stats()['errors'], 'errors');
done();
?>
--EXPECT--
done
