--TEST--
isActionAllowed() admits a client that retries without a pause as often as one that waits (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
FrequencyLimit\Clock::freeze(1_900_000_000);
$passed = 0;
for ($second = 0; $second < 600; $second++) {
	for ($i = 0; $i < 10; $i++) {
		$passed += (int) FrequencyLimit::isActionAllowed(1, 'knock', 60, 5);
		FrequencyLimit\Clock::advance(0.1);
	}
}
same(50, $passed, '5 a minute for ten minutes');

/* The largest log there is. */
FrequencyLimit\Clock::freeze(1_900_000_000);
$passed = 0;
for ($i = 0; $i < 10010; $i++) {
	$passed += (int) FrequencyLimit::isActionAllowed(1, 'largest', 315360000, 10000);
}
same(10000, $passed, 'ten thousand in ten years');
FrequencyLimit\Clock::advance(315360000);
same(true, FrequencyLimit::isActionAllowed(1, 'largest', 315360000, 10000), 'ten years later');
done();
?>
--EXPECT--
done
