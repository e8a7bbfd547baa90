--TEST--
200 concurrent calls on one key: exactly the limit passes, no call gets an error (embedded store)
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
test_store('running');
foreach ([1, 57, 200] as $number) {
	same($number, array_sum(in_processes(200, fn () => (int) FrequencyLimit::doHandle("c$number", 1, 3600, $number))), "limit $number");
}
same(0, FrequencyLimit\Monitor::stats()['errors'], 'errors');
done();
?>
--EXPECT--
done
