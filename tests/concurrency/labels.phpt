--TEST--
Parallel calls of a tenant's users pass exactly to the limits, and a refused call leaves no charge
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('real', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
$store = each_store('real', 'redis');
require __DIR__ . '/labels.inc';

if ($store->name() === 'redis') {
	$before = $store->server->calls('evalsha');
	$limits = $limiter();
	for ($i = 0; $i < 10; $i++) {
		$limits->consume(['tenant' => 'a', 'user' => 'b'], ['tenant' => 1, 'user' => 3]);
	}
	same(10, $store->server->calls('evalsha') - $before, 'one script for each call');
}
done();
?>
--EXPECT--
done
