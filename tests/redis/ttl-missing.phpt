--TEST--
A counter without a TTL gets one, counts as before, and ends; a distant expiry is returned in full
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
	/* A crash between INCR and EXPIRE leaves such a key: with permits, and exhausted. */
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
/* A foreign expiry far ahead, in milliseconds: it exceeds the reply's seven bytes of microseconds. */
foreach (['253402300799000', '99999999999000', '9223372036854775807'] as $end) {
	same('OK', $redis('SET', 'act:limit:far:1', '5', 'PXAT', $end), "PXAT $end");
	$r = FrequencyLimit::check('far', 1, 60, 5);
	same(FrequencyLimit\Reason::Limited, $r->reason, "refused until $end");
	ok($r->retryAfter > 280 * 365 * 86400 && $r->retryAfter === $r->resetAfter, "again after $end: $r->retryAfter");
}
done();
?>
--EXPECT--
done
