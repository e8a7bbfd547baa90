--TEST--
Clock: freeze, advance and unfreeze drive windows, bans and expiry of the embedded store alike
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Clock;

throws(FrequencyLimit\StoreException::class, [], fn () => Clock::advance(1), 'advance() unless frozen');
Clock::freeze(1_900_000_000);
$once = fn () => FrequencyLimit::doHandle('clock', 1, 10, 1);
same([true, false], [$once(), $once()], 'frozen');
Clock::advance(9.999);
same(false, $once(), '9.999 s later');
Clock::advance(0.001);
same(true, $once(), '10 s later');
for ($i = 0; $i < 6; $i++) {
	Clock::advance(10);
	same(true, $once(), "window $i");
	same(false, $once(), "window $i");
}
foreach ([-1, -0.001, 315360001, NAN, INF, -INF] as $bad) {
	throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$seconds'], fn () => Clock::advance($bad), 'advance(' . var_export($bad, true) . ')');
}
foreach ([NAN, INF, -1] as $bad) {
	throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$at'], fn () => Clock::freeze($bad), 'freeze(' . var_export($bad, true) . ')');
}
Clock::advance(0);
same(false, $once(), 'advance(0)');
Clock::unfreeze();
throws(FrequencyLimit\StoreException::class, [], fn () => Clock::advance(1), 'advance() after unfreeze()');
FrequencyLimit::reset('clock', 1);
same([true, false], [$once(), $once()], 'the real time');
Clock::freeze();
Clock::advance(10);
same(true, $once(), 'frozen at the real time, and moved on');
Clock::unfreeze();

/* As far ahead as it goes: the longest windows end where the store's time does, and nothing begins anew. */
Clock::freeze();
foreach ([0, 315360000, 189216000] as $ahead) {
	Clock::advance($ahead);
	$r = array_map(fn () => FrequencyLimit::check('far', $ahead, 315360000, 2), range(1, 4));
	same([true, true, false, false], array_column($r, 'accepted'), "$ahead s ahead");
	ok($r[3]->retryAfter > 86400 && $r[3]->retryAfter <= 315360001, "$ahead s more ahead, again in {$r[3]->retryAfter}");
}
throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$seconds', 'seventeen years ahead in all'], fn () => Clock::advance(63072000), 'further');
Clock::unfreeze();
done();
?>
--EXPECT--
done
