--TEST--
The application's API counts at every endpoint, refuses with 429, headers and reason, and resets
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('real', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/app.inc';
$store = each_store('real', 'redis');
app_scenario(app($store->name() === 'redis' ? ['ratelimit.store' => $store->server->dsn(), 'ratelimit.on_failure' => 'throw'] : []), $store->name());
done();
?>
--EXPECT--
done
