--TEST--
deny_cache=window caches a refusal until the call could pass, also after a reset on another machine
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/deny-cache.inc';
use FrequencyLimit\{Limit, Limiter};

$redis = redis_with_deny_cache();
store_options(deny_cache: 'window');
$limiter = new Limiter('long', Limit::fixedWindow(1, 3600));
$short = new Limiter('short', Limit::fixedWindow(1, 1));
foreach ([1, 2] as $_) {
	$limiter->consume('x');
	FrequencyLimit::doHandle('long', 1, 3600, 1);
}
$short->consume('x');
same(false, ($refused = $short->consume('x'))->accepted, 'a short window is used up');
$redis('FLUSHALL'); /* another machine's reset() of all */
usleep(1_100_000); /* longer than the default */
same(0, asks($redis, function () use ($limiter) {
	same([false, 'cache'], [($r = $limiter->consume('x'))->accepted, $r->store], 'a limiter');
	between(3500, $r->retryAfter, 3600.001, 'its retryAfter');
	same(false, FrequencyLimit::doHandle('long', 1, 3600, 1), 'doHandle()');
}), 'questions');
same([true, 'redis'], [($r = $short->consume('x'))->accepted, $r->store], 'a window that is over');
$limiter->reset('x');
same([true, 'redis'], [($r = $limiter->consume('x'))->accepted, $r->store], 'a reset on this machine');
done();
?>
--EXPECT--
done
