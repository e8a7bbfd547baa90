--TEST--
doHandle() admits exactly 10 comments in 30 seconds from the first, then starts afresh
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
/* Scene 1: at most 10 comments in 30 seconds. */

require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	$comment = fn (int $user = 42): bool => FrequencyLimit::doHandle('comment', $user, 30, 10);
	$passed = fn (int $calls): int => array_sum(array_map(fn () => (int) $comment(), range(1, $calls)));

	ok($comment(), 'the first comment');
	$store->advance(15);
	same(9, $passed(20), 'comments that pass after the first');
	ok($comment(43), 'another user is not concerned');
	ok(FrequencyLimit::doHandle('reply', 42, 30, 10), 'another action is not concerned');

	/* The window starts with the first comment, not with the last one or with a refusal. */
	$store->advance(15 - $store->grain());
	same(0, $passed(3), 'comments that pass just before the window is over');
	$store->advance($store->grain());
	same(10, $passed(11), 'comments that pass when the window is over');

	/* A window with permits left ends, too. */
	$store->advance(30);
	same(4, $passed(4), 'comments of a third window');
	$store->advance(30);
	same(10, $passed(11), 'the third window takes nothing into the fourth');
}

scenario(each_store());
done();
?>
--EXPECT--
done
