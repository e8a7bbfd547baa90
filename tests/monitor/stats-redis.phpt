--TEST--
stats() counts the decisions of Redis, its errors and the decisions without it
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
store_options(retry_delay: 1);
$counts = function (): array {
	static $last = [0, 0, 0, 0];
	$stats = FrequencyLimit\Monitor::stats();
	$now = [$stats['redis_decisions'], $stats['redis_errors'], $stats['fallbacks'], $stats['redis_refusals']];
	$difference = array_map(fn ($a, $b) => $a - $b, $now, $last);
	$last = $now;
	return $difference;
};
$counts();
for ($i = 0; $i < 5; $i++) {
	FrequencyLimit::doHandle('stats', 1, 60, 3);
}
same([5, 0, 0, 2], $counts(), 'Redis is there, and refused two');
FrequencyLimit::peek('stats', 1, 60, 3);
same([0, 0, 0, 0], $counts(), 'a look is no decision');
$limiter = new FrequencyLimit\Limiter('stats', FrequencyLimit\Limit::slidingLog(1, 60));
$limiter->consumeMany([1, 2, 1]);
$limiter->consume(2);
$limiter->peek(2);
same([4, 0, 0, 2], $counts(), 'a limiter, too');
store_options(deny_cache: 60000);
FrequencyLimit::doHandle('stats', 1, 60, 3);
$limiter->consume(2);
$cached = FrequencyLimit\Monitor::stats()['cached'];
for ($i = 0; $i < 3; $i++) {
	same([false, false], [FrequencyLimit::peek('stats', 1, 60, 3)->accepted, $limiter->peek(2)->accepted], 'refused, from the deny cache');
}
same(0, FrequencyLimit\Monitor::stats()['cached'] - $cached, 'a cached look is no refusal');
same(false, FrequencyLimit::doHandle('stats', 1, 60, 3), 'refused');
same(1, FrequencyLimit\Monitor::stats()['cached'] - $cached, 'a cached refusal');
store_options(deny_cache: 0);
$counts();
$store->server->stop();
ini_set('ratelimit.on_failure', 'local');
FrequencyLimit::doHandle('stats', 1, 60, 3);
same([0, 1, 1, 0], $counts(), 'Redis is away: an error and a fallback');
pause(0.003); /* past retry_delay */
FrequencyLimit::peek('stats', 1, 60, 3);
same([0, 1, 0, 0], $counts(), 'a look is no fallback, but its error counts');
pause(0.003);
ini_set('ratelimit.on_failure', 'throw');
throws(FrequencyLimit\StoreException::class, [], fn () => FrequencyLimit::doHandle('stats', 1, 60, 3), 'throw');
same([0, 1, 0, 0], $counts(), 'an error, and no fallback');
same('unix://', substr(FrequencyLimit\Monitor::stats()['store'], 0, 7), 'the store that ratelimit.store names');
done();
?>
--EXPECT--
done
