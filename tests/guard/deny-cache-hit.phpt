--TEST--
The deny cache answers a repeated refusal without Redis, and with the same facts
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/deny-cache.inc';
use FrequencyLimit\{Limit, Limiter, Period, Reason};

$redis = redis_with_deny_cache();
$cached = FrequencyLimit\Monitor::stats()['cached'];

/* doHandle and check. */
foreach (['Limited' => [], 'Banned' => ['type' => 1, 'ttl' => 600]] as $reason => $expire) {
	$check = fn (int|string $id) => FrequencyLimit::check($reason, $id, 60, 2, $expire);
	foreach ([1, 'x'] as $id) {
		$check($id);
		$check($id);
		$first = $check($id);
		same([false, 'redis'], [$first->accepted, $first->store], "$reason: Redis refuses");
		same(0, asks($redis, function () use ($check, $id, $first, $reason) {
			for ($i = 0; $i < 100; $i++) {
				$r = $check($id);
				same([false, constant("FrequencyLimit\Reason::$reason"), 2, 0, 'cache'], [$r->accepted, $r->reason, $r->limit, $r->remaining, $r->store], $reason);
				between($first->retryAfter - 20, $r->retryAfter, $first->retryAfter + 0.5, "$reason: retryAfter");
				same($r->retryAfter, $r->resetAfter, "$reason: resetAfter");
			}
			same($id === 1 ? false : null, $id === 1 ? FrequencyLimit::doHandle($reason, 1, 60, 2, $reason === 'Banned' ? ['type' => 1, 'ttl' => 600] : []) : null, 'doHandle');
			same(false, FrequencyLimit::peek($reason, $id, 60, 2, $reason === 'Banned' ? ['type' => 1, 'ttl' => 600] : [])->accepted, 'peek');
		}), "$reason: Redis is not asked");
	}
}
/* doHandle()'s fast path, many times. */
same(0, asks($redis, function () {
	for ($i = 0; $i < 1000; $i++) {
		same(false, FrequencyLimit::doHandle('Limited', 1, 60, 2), 'doHandle');
	}
}), 'a thousand knocks');

/* A log, and limiters. */
FrequencyLimit::isActionAllowed('x', 'log', 60, 1);
same(1, asks($redis, function () {
	for ($i = 0; $i < 10; $i++) {
		same(false, FrequencyLimit::isActionAllowed('x', 'log', 60, 1), 'isActionAllowed');
	}
}), 'isActionAllowed asks once');
foreach (['fixed' => [Limit::fixedWindow(1, 60)], 'ban' => [Limit::slidingLog(1, 60)->ban(600)],
	'escalating ban' => [Limit::slidingLog(1, 60)->ban([600, 1200], forget: 3600)],
	'several' => [Limit::tokenBucket(5, 1), Limit::slidingWindow(1, 60)->named('second'), Limit::calendar(9, Period::Month, 'UTC')]] as $name => $limits) {
	$limiter = new Limiter($name, $limits);
	$limiter->consume('x');
	$first = $limiter->consume('x');
	same(['redis', $name === 'escalating ban' ? 1 : 0], [$first->store, $first->level], "$name: Redis refuses");
	same(0, asks($redis, function () use ($limiter, $first, $name) {
		foreach (['consume', 'peek'] as $method) {
			$r = $limiter->$method('x');
			same([$first->reason, $first->limit, 0, $first->name, $first->level, 'cache'], [$r->reason, $r->limit, $r->remaining, $r->name, $r->level, $r->store], "$name: $method");
			between($first->retryAfter - 20, $r->retryAfter, $first->retryAfter + 0.5, "$name: retryAfter");
			between($first->resetAfter - 20, $r->resetAfter, $first->resetAfter + 0.5, "$name: resetAfter");
		}
	}), "$name: Redis is not asked");

	/* consumeMany() asks only for identities without a cached refusal. */
	$many = null;
	same(2, asks($redis, function () use ($limiter, &$many) {
		$many = $limiter->consumeMany(['a' => 'x', 'b' => "new", 'c' => 'x', 'd' => "other"]);
	}), "$name: of four");
	same(['a' => 'cache', 'b' => 'redis', 'c' => 'cache', 'd' => 'redis'], array_map(fn ($r) => $r->store, $many), "$name: each its own answer");
	same(['a' => false, 'b' => true, 'c' => false, 'd' => true], array_map(fn ($r) => $r->accepted, $many), "$name: and the right one");
}

/* For all workers of the machine. */
same(0, asks($redis, fn () => in_processes(4, function () {
	for ($i = 0; $i < 100; $i++) {
		same('cache', FrequencyLimit::check('Limited', 'x', 60, 2)->store, 'another worker');
	}
})), 'other workers need not ask');
ok(FrequencyLimit\Monitor::stats()['cached'] - $cached > 1700, 'stats() count them');
done();
?>
--EXPECT--
done
