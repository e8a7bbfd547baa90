--TEST--
The 101st upload of a day starts a ban until a moment, even within the window
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
/* Scene 3: at most 100 uploads a day; the next one starts a ban until midnight. */

require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	$midnight = (int) $store->now() + 7200;
	$upload = fn (int $user = 42): bool => FrequencyLimit::doHandle('upload', $user, 86400, 100, ['type' => 2, 'ttl' => $midnight]);

	for ($i = 1; $i <= 100; $i++) {
		ok($upload(), "upload $i passes");
	}
	same(false, $upload(), 'the one too many');
	ok($upload(43), 'another user is not concerned');
	$store->advance(7200 - 1 - $store->grain());
	same(false, $upload(), 'just before midnight');
	$store->advance(1 + $store->grain());
	same(true, FrequencyLimit::doHandle('upload', 42, 86400, 100), 'at midnight, long before the window would be over');
	same(true, FrequencyLimit::doHandle('upload', 43, 86400, 2), 'the window of somebody who was not banned goes on');
	same(false, FrequencyLimit::doHandle('upload', 43, 86400, 2), 'with its count');

	/* Later than the window's end as well. */
	$later = (int) $store->now() + 500;
	$once = fn (int|string $until) => FrequencyLimit::doHandle('once', 1, 60, 1, ['type' => 2, 'ttl' => $until]);
	ok($once($later), 'the one');
	same(false, $once($later), 'banned');
	$store->advance(60);
	same(false, $once($later), 'past the window');
	$store->advance(440);
	ok($once($later + 1000), 'until the moment');

	/* A moment that is not in the future starts no ban, and the window continues. */
	foreach ([(int) $store->now() - 1000, 1, 0, -5, (string) ((int) $store->now() - 5)] as $past) {
		same(false, $once($past), "a moment that is past: $past");
	}
	$store->advance(60 - $store->grain());
	same(false, $once(1), 'and the window stands until its end');
	$store->advance($store->grain());
	ok($once(1), 'and not longer');
}

scenario(each_store());
done();
?>
--EXPECT--
done
