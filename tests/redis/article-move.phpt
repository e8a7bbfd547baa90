--TEST--
The move from the article's class under load: no count is lost, nobody is freed, and a running ban does not start again
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
require __DIR__ . '/../include/store.inc';
require __DIR__ . '/article.inc';
const LIKE = [10, 10, ['type' => 1, 'ttl' => 3600]];
const MIDNIGHT = ['type' => 2];
$store = test_store('redis');
$redis = $store->server;
$old = new ArticleLimit(new RedisClient($redis->socket));

/* The old class has banned user 1 for an hour, of which 600 s are left, and user 2 until midnight. */
for ($i = 0; $i < 11; $i++) {
	$old->frequencyLimit('like', 1, ...LIKE);
}
$redis('EXPIRE', 'act:limit:like:1', 600);
$midnight = time() + 7200;
for ($i = 0; $i < 4; $i++) {
	$old->frequencyLimit('upload', 2, 60, 3, ['type' => 2, 'ttl' => $midnight]);
}
same(['10', '3'], [$redis('GET', 'act:limit:like:1'), $redis('GET', 'act:limit:upload:2')], 'bans of the class are counts at their number');

/* Four workers of the old class and four of the extension, on the same users. */
$passed = in_processes(8, function (int $i) use ($redis, $midnight): array {
	$old = $i % 2 ? new ArticleLimit(new RedisClient($redis->socket)) : null;
	$do = $old ? $old->frequencyLimit(...) : FrequencyLimit::doHandle(...);
	$passed = ['comment' => 0, 'banned' => 0];
	for ($n = 0; $n < 100; $n++) {
		$passed['comment'] += $do('comment', 3, 3600, 100000);
		$passed['banned'] += $do('like', 1, ...LIKE) + $do('upload', 2, 60, 3, ['type' => 2, 'ttl' => $midnight]);
	}
	return $passed;
});
same(800, array_sum(array_column($passed, 'comment')), 'all comments pass');
same('800', $redis('GET', 'act:limit:comment:3'), 'and all are counted');
same(0, array_sum(array_column($passed, 'banned')), 'nobody is freed');
between(1, $redis('TTL', 'act:limit:like:1'), 600, 'the ban of an hour does not start again');
between($midnight - 1, time() + $redis('TTL', 'act:limit:upload:2'), $midnight + 1, 'the ban until midnight ends then');
$check = FrequencyLimit::check('like', 1, ...LIKE);
same(FrequencyLimit\Reason::Banned, $check->reason, 'a ban');
between(1, $check->retryAfter, 600, 'with the time that is left');

/* Back to the old class: it refuses what the extension has banned, and goes on counting. */
FrequencyLimit::ban('like', 4, 100);
same([false, true], [$old->frequencyLimit('like', 4, ...LIKE), $old->frequencyLimit('comment', 3, 3600, 100000)], 'the old class again');
done();
?>
--EXPECT--
done
