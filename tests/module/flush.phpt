--TEST--
FrequencyLimit::flush() empties this machine's segment: counts, bans, places, large states, cached refusals
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
ratelimit.shm_size=2M
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Period, StoreException};

Clock::freeze(1_900_000_000);
$limiters = [
	'window' => new Limiter('window', Limit::fixedWindow(1, 60)),
	'log' => new Limiter('log', Limit::slidingLog(500, 60)),
	'ban' => new Limiter('ban', Limit::tokenBucket(1, 60)->ban(600)),
	'day' => new Limiter('day', Limit::calendar(1, Period::Day)),
];
$places = new Limiter('places', Limit::concurrent(1, 60));
for ($round = 0; $round < 30; $round++) {
	for ($id = 1; $id <= 40; $id++) {
		same(true, FrequencyLimit::doHandle('act', $id, 60, 1), "round $round: counter $id");
	}
	foreach ($limiters as $name => $limiter) {
		same(true, $limiter->allow('u', $name === 'log' ? 500 : 1), "round $round: $name");
		same(false, $limiter->allow('u'), "round $round: $name is used up");
	}
	$permit = $places->acquire('u');
	same([true, false], [$permit->result->accepted, $places->acquire('u')->result->accepted], "round $round: the place");
	FrequencyLimit::flush();
	same([0, true], [$limiters['ban']->peek('u', 0)->limit - $limiters['ban']->peek('u', 0)->remaining, $places->peek('u')->accepted], "round $round: empty");
	same(false, $permit->release(), "round $round: the permit's place is gone");
}
same(0, FrequencyLimit\Monitor::stats()['evictions'], 'the room came back');

ini_set('ratelimit.store', 'unix:///nowhere/redis.sock');
throws(StoreException::class, ['flush()', 'ratelimit.store names a Redis', 'ratelimit.prefix'], fn () => FrequencyLimit::flush(), 'with Redis');
done();
?>
--EXPECT--
done
