--TEST--
Machines and a Redis that stops, is cut off or loses replies: each answer is the model's, all within its bound
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_redis();
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../model/outages.inc';
foreach ([1, 2, 3] as $machines) {
	$p = play_outages((int) amount(8000, 2000), seed: $machines, machines: $machines);
	ok($p->outages > 15 && $p->fallback > 500 && $p->late > 10 && $p->lost > 10,
		"$machines machines: $p->outages outages, $p->fallback decisions of the fallback, $p->late late and $p->lost lost replies");
}
done();
?>
--EXPECT--
done
