--TEST--
isActionAllowed() counts every admitted call, however close, and no refused one
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	/* B1 and B2: a hundred pages a minute, and not two minutes' worth around an edge. */
	$passed = 0;
	for ($i = 0; $i < 150; $i++) {
		$passed += (int) FrequencyLimit::isActionAllowed('visitor', 'page', 60, 100);
	}
	same(100, $passed, 'calls in one instant or nearly so all count');
	same(true, FrequencyLimit::isActionAllowed('other', 'page', 60, 100), 'another identity');
	same(true, FrequencyLimit::isActionAllowed('visitor', 'other', 60, 100), 'another action');

	/* An int and its digits. */
	same(true, FrequencyLimit::isActionAllowed(7, 'same', 60, 2), 'an int');
	same(true, FrequencyLimit::isActionAllowed('7', 'same', 60, 2), 'its digits');
	same(false, FrequencyLimit::isActionAllowed(7, 'same', 60, 2), 'one identity');

	/* A number is the next call's. */
	same(true, FrequencyLimit::isActionAllowed(7, 'same', 60, 3), 'a larger number');
	same(false, FrequencyLimit::isActionAllowed(7, 'same', 60, 1), 'a smaller one');

	/* Its counts are its own. */
	same(true, FrequencyLimit::doHandle('page', 7, 60, 1), 'doHandle counts apart');

	/* The largest log. */
	$passed = 0;
	for ($i = 0; $i < 3100; $i++) {
		$passed += (int) FrequencyLimit::isActionAllowed(9, 'large', 3600, 3000);
	}
	same(3000, $passed, 'a log of three thousand');
}

scenario(each_store());
done();
?>
--EXPECT--
done
