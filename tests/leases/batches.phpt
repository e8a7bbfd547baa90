--TEST--
A batch of leased permits costs one request; two machines never exceed the limit, and the facts are correct
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../deny-cache/deny-cache.inc';
use FrequencyLimit\{Limit, Limiter, Period, Reason};

$redis = redis_with_deny_cache();
(new Limiter('before', Limit::fixedWindow(1, 60)))->consume('x'); /* the script is known */
foreach (['fixed' => Limit::fixedWindow(1000, 3600)->leased(50), 'calendar' => Limit::calendar(1000, Period::Month, 'UTC')->leased(50)] as $name => $limit) {
	$limiter = new Limiter($name, $limit);
	$leased = FrequencyLimit\Monitor::stats()['leased'];
	/* The first takes a batch of 50, itself included; 49 more cost Redis nothing. */
	same(1, asks($redis, function () use ($limiter, $name) {
		$first = $limiter->consume('x');
		same([true, Reason::Accepted, 999, 'redis'], [$first->accepted, $first->reason, $first->remaining, $first->store], "$name: the first");
		for ($left = 48; $left >= 0; $left--) {
			$r = $limiter->consume('x');
			same([true, 1000, $left, 0.0, 'lease'], [$r->accepted, $r->limit, $r->remaining, $r->retryAfter, $r->store], "$name: $left left of the batch");
			between($first->resetAfter * 0.998 - 5, $r->resetAfter, $first->resetAfter, "$name: resetAfter");
		}
	}), "$name: a batch is one question");
	same(49, FrequencyLimit\Monitor::stats()['leased'] - $leased, 'stats() count them');

	/* All of it: exactly the limit, with batches that shrink. */
	$n = 50;
	$questions = asks($redis, function () use ($limiter, &$n) {
		while ($limiter->consume('x')->accepted) {
			$n++;
		}
	});
	same(1000, $n, "$name: admitted");
	between(20, $questions, 60, "$name: questions for 950");
	same([false, Reason::Limited, 'cache'], [($r = $limiter->consume('x'))->accepted, $r->reason, $r->store], "$name: a refusal is remembered");
	same(0, $limiter->peek('x')->remaining, "$name: nothing is left");

	/* peek() matches consume(), by the batch if there is one. */
	same(['redis', 999], [($r = $limiter->peek('y'))->store, $r->remaining], "$name: peek without a batch");
	$limiter->consume('y', 3);
	same(['lease', 46, 'lease', 46], [($r = $limiter->peek('y', 3))->store, $r->remaining, ($r = $limiter->consume('y', 3))->store, $r->remaining], "$name: peek of a batch");
	same(1, asks($redis, fn () => same(true, $limiter->consume('y', 47)->accepted, 'a cost')), "$name: a cost above the batch is asked");
	same('lease', $limiter->consume('y', 46)->store, "$name: and leaves the batch as it was");
	same(Reason::TooExpensive, $limiter->consume('y', 1001)->reason, "$name: too expensive");

	/* Many at once: each its own batch. */
	same(3, asks($redis, fn () => $limiter->consumeMany(['a', 'b', 'c'])), "$name: three");
	same(['lease', 'lease', 'lease'], array_map(fn ($r) => $r->store, $limiter->consumeMany(['a', 'b', 'c'])), "$name: three batches");

	/* Another machine has a segment of its own. */
	$code = 'use FrequencyLimit\{Limit, Limiter, Period};
		$limiter = new Limiter("' . $name . '", ' . ($name === 'fixed' ? 'Limit::fixedWindow(1000, 3600)' : 'Limit::calendar(1000, Period::Month, "UTC")') . '->leased(50));
		for ($n = 0; $limiter->consume("two")->accepted; $n++);
		echo $n;';
	$limiter->consume('two');
	[, $theirs] = run_php($code, ['ratelimit.store' => $redis->dsn(), 'ratelimit.on_failure' => 'throw']);
	for ($ours = 1; $limiter->consume('two')->accepted; $ours++);
	same([950, 50], [(int) $theirs, $ours], "$name: what we hold they do not get");
}

/* A limit too small to share is asked for each; a lease of 1 is none; another limit has another batch. */
$small = new Limiter('small', Limit::fixedWindow(8, 3600)->leased(100));
same(8, asks($redis, function () use ($small) {
	for ($i = 0; $i < 8; $i++) {
		same('redis', $small->consume('x')->store, 'small');
	}
}), 'small');
$one = new Limiter('one', Limit::fixedWindow(1000, 3600)->leased(1));
same(3, asks($redis, fn () => [$one->consume('x'), $one->consume('x'), $one->consume('x')]), 'a lease of 1');
(new Limiter('deploy', Limit::fixedWindow(1000, 3600)->leased(50)))->consume('x');
same('redis', (new Limiter('deploy', Limit::fixedWindow(500, 3600)->leased(50)))->consume('x')->store, 'a changed limit has its own batch');

/* Reset, ban and unban let go of the batch at once. */
$limiter = new Limiter('let go', Limit::fixedWindow(1000, 3600)->leased(50));
$limiter->consume('x');
same(true, $limiter->reset('x'), 'reset');
same(['redis', 999], [($r = $limiter->consume('x'))->store, $r->remaining], 'after a reset');
$limiter->ban('x', 600);
same(Reason::Banned, $limiter->consume('x')->reason, 'a ban holds at once');
$limiter->unban('x');
same([true, 'redis'], [($r = $limiter->consume('x'))->accepted, $r->store], 'after an unban');

/* While Redis is away the batch goes on; then on_failure answers, with the limit as it is. */
$redis->stop();
ini_set('ratelimit.on_failure', 'local');
same('lease', $limiter->consume('x')->store, 'Redis is away: the batch');
while (($r = $limiter->consume('x'))->store === 'lease');
same(['local', true, 999], [$r->store, $r->accepted, $r->remaining], 'and then the policy');

/* On shared memory it changes nothing. */
$shm = new Limiter('shm', Limit::fixedWindow(10, 3600)->leased(5), 'shm:');
for ($left = 9; $left >= 0; $left--) {
	same([$left, 'shm'], [($r = $shm->consume('x'))->remaining, $r->store], 'shm');
}
same(false, $shm->consume('x')->accepted, 'shm: refused');
done();
?>
--EXPECT--
done
