--TEST--
The 11th like in 10 seconds starts a ban of one hour, once
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
/* Scene 2: at most 10 likes in 10 seconds; the next one starts a ban of an hour. */

require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	$like = fn (int $user = 42): bool => FrequencyLimit::doHandle('like', $user, 10, 10, ['type' => 1, 'ttl' => 3600]);

	for ($i = 1; $i <= 10; $i++) {
		ok($like(), "like $i passes");
	}
	$store->advance(10 - $store->grain());
	same(false, $like(), 'the first one too many starts the ban');
	ok($like(43), 'another user is not concerned');
	$store->advance($store->grain());
	same(false, $like(), 'the window would be over, the ban is not');

	/* Nothing moves the end: neither repeated calls, nor another ban length, nor a call without a ban. */
	for ($i = 0; $i < 50; $i++) {
		$like();
	}
	same(false, FrequencyLimit::doHandle('like', 42, 10, 10, ['type' => 1, 'ttl' => 7200]), 'asking for a longer ban');
	same(false, FrequencyLimit::doHandle('like', 42, 10, 10, ['type' => 1, 'ttl' => 1]), 'asking for a shorter ban');
	same(false, FrequencyLimit::doHandle('like', 42, 10, 1000), 'asking with a larger number');
	$store->advance(3600 - 2 * $store->grain());
	same(false, $like(), 'just before the ban is over');
	$store->advance($store->grain());
	ok($like(), 'when the ban is over, a fresh window begins');
	for ($i = 2; $i <= 10; $i++) {
		ok($like(), "like $i passes after the ban");
	}
	same(false, $like(), 'and ends after ten');

	/* The ten that pass never start a ban: only a refused call does. */
	for ($i = 1; $i <= 10; $i++) {
		$like(44);
	}
	$store->advance(10);
	ok($like(44), 'ten likes and no more: no ban');

	/* A refusal without $expire starts no ban, a later one with $expire does. */
	$plain = fn () => FrequencyLimit::doHandle('vote', 7, 60, 1);
	$plain();
	same(false, $plain(), 'refused without $expire');
	same(false, FrequencyLimit::doHandle('vote', 7, 60, 1, ['type' => 1, 'ttl' => 600]), 'refused with $expire');
	$store->advance(60);
	same(false, $plain(), 'banned past the window by the second refusal');
	$store->advance(540);
	ok($plain(), 'and free when that ban is over');

	/* A ban may be shorter than the window: it replaces the window's end. */
	$short = fn () => FrequencyLimit::doHandle('short', 7, 1000, 1, ['type' => 1, 'ttl' => 10]);
	$short();
	same(false, $short(), 'the ban of ten seconds');
	$store->advance(10);
	ok($short(), 'ends a window of a thousand');
}

scenario(each_store());
done();
?>
--EXPECT--
done
