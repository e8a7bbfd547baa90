--TEST--
The article's own listing and the extension work on the same keys at the same time
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
require __DIR__ . '/article.inc';
$store = test_store('redis');
$redis = $store->server;
$old = new ArticleLimit($redis);
$ban = ['type' => 1, 'ttl' => 3600];
mt_srand(20200612);

$both = [
	'old' => fn ($user, $expire) => $old->frequencyLimit('live', $user, 30, 10, $expire),
	'new' => fn ($user, $expire) => FrequencyLimit::doHandle('live', $user, 30, 10, $expire),
];
for ($user = 1; $user <= 60; $user++) {
	$expire = $user % 2 ? [] : $ban;
	$passed = $refused = 0;
	$last = '';
	for ($call = 0; $call < 25; $call++) {
		$which = mt_rand(0, 1) ? 'old' : 'new';
		if ($both[$which]($user, $expire)) {
			same(0, $refused, "user $user: nobody passes after a refusal");
			$passed++;
		} else {
			$last = $refused++ === 0 ? $which : $last;
		}
		ok($redis('PTTL', "act:limit:live:$user") > 0, "user $user: the key has an expiry");
	}
	/* The listing refuses the tenth, which it counts; this admits it. */
	same($last === 'old' && $passed < 10 ? 9 : 10, $passed, "user $user: passed, first refused by $last");
	$left = $redis('PTTL', "act:limit:live:$user");
	between($expire ? 3590000 : 20000, $left, $expire ? 3600001 : 30001, "user $user: the end that both see");
}

/* The end of a window applies to both, whichever started it. */
$store->advance(30);
same(true, $both['new'](1, []), 'the new one after the old one\'s window');
same(true, $both['old'](1, []), 'the old one goes on in it');
same('2', $redis('GET', 'act:limit:live:1'), 'one counter');
same(true, $both['old'](3, []), 'the old one after the window');
same(true, $both['new'](3, []), 'the new one goes on in it');
same('2', $redis('GET', 'act:limit:live:3'), 'one counter');

/* A ban of the extension is a ban for the listing. */
for ($i = 0; $i < 12; $i++) {
	FrequencyLimit::doHandle('live', 100, 30, 10, $ban);
}
same(false, $old->frequencyLimit('live', 100, 30, 10), 'the listing refuses whom we ban');
same(false, $old->frequencyLimit('live', 100, 30, 16777215), 'whatever number it asks with');
same('string', $redis('TYPE', 'act:limit:live:100'), 'it stays a counter');
done();
?>
--EXPECT--
done
