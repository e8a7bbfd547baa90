--TEST--
reset() deletes an identity's counts and bans of one action, and returns true for any
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	same(false, FrequencyLimit::reset('r', 1), 'nothing to forget');
	FrequencyLimit::doHandle('r', 1, 60, 1);
	same(false, FrequencyLimit::doHandle('r', 1, 60, 1), 'exhausted');
	same(true, FrequencyLimit::reset('r', '1'), 'forgotten, by the string of its digits');
	same(false, FrequencyLimit::reset('r', 1), 'once');
	same(true, FrequencyLimit::doHandle('r', 1, 60, 1), 'and fresh');

	FrequencyLimit::check('r', 'banned', 60, 1);
	FrequencyLimit::check('r', 'banned', 60, 1, ['type' => 1, 'ttl' => 3600]);
	same(true, FrequencyLimit::reset('r', 'banned'), 'a ban is forgotten, too');
	same(true, FrequencyLimit::check('r', 'banned', 60, 1)->accepted, 'and fresh');

	FrequencyLimit::isActionAllowed(2, 'r', 60, 1);
	same(true, FrequencyLimit::reset('r', 2), 'a log is forgotten');
	same(false, FrequencyLimit::reset('r', 2), 'once');
	same(true, FrequencyLimit::isActionAllowed(2, 'r', 60, 1), 'and fresh');

	FrequencyLimit::doHandle('r', 3, 60, 1);
	FrequencyLimit::isActionAllowed(3, 'r', 60, 1);
	same(true, FrequencyLimit::reset('r', 3), 'both at once');
	same([true, true], [FrequencyLimit::doHandle('r', 3, 60, 1), FrequencyLimit::isActionAllowed(3, 'r', 60, 1)], 'and both are fresh');

	/* Other identities and actions stay unchanged. */
	FrequencyLimit::doHandle('r', 4, 60, 1);
	FrequencyLimit::doHandle('q', 4, 60, 1);
	FrequencyLimit::reset('r', 4);
	same(false, FrequencyLimit::doHandle('q', 4, 60, 1), 'another action keeps its count');

	/* reset() returns false for an ended state. */
	FrequencyLimit::doHandle('r', 5, 60, 1);
	$store->advance(60);
	same(false, FrequencyLimit::reset('r', 5), 'a window that is over');
}

scenario(each_store());
done();
?>
--EXPECT--
done
