--TEST--
A changed number applies to the next call, a changed time to the next window
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
/* A deploy changes a limit while its windows run. */

require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	$passed = function (int $calls, int $time, int $number): int {
		$n = 0;
		while ($calls-- > 0) {
			$n += (int) FrequencyLimit::doHandle('deploy', 1, $time, $number);
		}
		return $n;
	};
	same(10, $passed(12, 100, 10), 'ten at first');
	same(5, $passed(12, 100, 15), 'raised to fifteen: five more');
	same(0, $passed(3, 100, 5), 'lowered to five: none');
	same(5, $passed(12, 100, 20), 'raised to twenty: what was counted is kept');

	/* A longer time applies to the next window; the current window keeps its end. */
	$store->advance(60);
	same(0, $passed(3, 600, 20), 'a longer time lets nobody through');
	$store->advance(40);
	same(20, $passed(25, 600, 20), 'and does not move the end');
	$store->advance(100);
	same(0, $passed(3, 600, 20), 'the next window has it');
	$store->advance(500);
	same(20, $passed(25, 600, 20), 'to its end');
}

scenario(each_store());
done();
?>
--EXPECT--
done
