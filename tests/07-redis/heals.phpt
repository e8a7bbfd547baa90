--TEST--
A counter found without an expiry gets one, counts as before, and ends
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
$store = test_store('redis');
$redis = $store->server;
foreach (['doHandle' => fn () => FrequencyLimit::doHandle('immortal', 1, 60, 10), 'check' => fn () => FrequencyLimit::check('immortal', 1, 60, 10)->accepted] as $name => $call) {
	/* What a crash between INCR and EXPIRE leaves: with room, and exhausted. */
	$redis('SET', 'act:limit:immortal:1', '7');
	same(true, $call(), "$name: 7 of 10");
	same('8', $redis('GET', 'act:limit:immortal:1'), "$name: it goes on counting");
	between(55000, $redis('PTTL', 'act:limit:immortal:1'), 60001, "$name: with an expiry");

	$redis('SET', 'act:limit:immortal:1', '10');
	same(false, $call(), "$name: 10 of 10");
	same('10', $redis('GET', 'act:limit:immortal:1'), "$name: a refused call counts nothing");
	between(55000, $redis('PTTL', 'act:limit:immortal:1'), 60001, "$name: and heals, too");
	$store->advance(60);
	same(true, $call(), "$name: its user comes back");
	$redis('DEL', 'act:limit:immortal:1');
}
done();
?>
--EXPECT--
done
