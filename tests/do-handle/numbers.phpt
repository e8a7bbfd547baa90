--TEST--
doHandle() admits exactly the number, for windows and numbers of every size
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	foreach ([1, 2, 3, 7, 99, 1000] as $number) {
		foreach ([10, 60, 86400, 315360000] as $time) {
			$passed = 0;
			for ($i = 0; $i < $number + 5; $i++) {
				$passed += (int) FrequencyLimit::doHandle("n$number", $time, $time, $number);
			}
			same($number, $passed, "$number in $time s");
		}
	}

	/* Limit 1: the second call is refused all through the window. */
	FrequencyLimit::doHandle('one', 1, 600, 1);
	for ($second = 10; $second < 600; $second += 10) {
		$store->advance(10 - ($second === 10 ? $store->grain() : 0));
		same(false, FrequencyLimit::doHandle('one', 1, 600, 1), "second $second of 600");
	}
	$store->advance(10 + $store->grain());
	same(true, FrequencyLimit::doHandle('one', 1, 600, 1), 'second 600');
}

scenario(each_store());
done();
?>
--EXPECT--
done
