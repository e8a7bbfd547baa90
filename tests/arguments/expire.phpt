--TEST--
doHandle() accepts an empty or well-formed $expire, and throws for every other one
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
FrequencyLimit\Clock::freeze(1_900_000_000);

const TEN_YEARS = 315360000;

/* How long the refused second call of a 60 s window has to wait: the ban's length, or the window's. */
$wait = function (?array $expire): float {
	FrequencyLimit::reset('x', 1);
	FrequencyLimit::check('x', 1, 60, 1, $expire);
	return FrequencyLimit::check('x', 1, 60, 1, $expire)->retryAfter;
};
foreach ([
	[null, 60.0], [[], 60.0],
	[['type' => 1, 'ttl' => 1], 1.0], [['type' => 1, 'ttl' => 3600], 3600.0], [['ttl' => 3600, 'type' => 1], 3600.0],
	[['type' => '1', 'ttl' => '3600'], 3600.0], [['type' => '2', 'ttl' => '1900000600'], 600.0],
	[['type' => 1, 'ttl' => TEN_YEARS], (float) TEN_YEARS],
	[['type' => 2, 'ttl' => 1_900_000_001], 1.0], [['type' => 2, 'ttl' => 1_900_000_000 + TEN_YEARS], (float) TEN_YEARS],
	[['type' => 2, 'ttl' => 1_900_000_000], 60.0], [['type' => 2, 'ttl' => 1], 60.0],
] as [$expire, $seconds]) {
	same($seconds, $wait($expire), json_encode($expire));
}

/* Through references, as an array built by reference holds them. */
$type = 1;
$ttl = 30;
same(30.0, $wait(['type' => &$type, 'ttl' => &$ttl]), 'references');

foreach ([
	[1], ['type' => 1], ['ttl' => 60], ['Type' => 1, 'ttl' => 60],
	['type' => 0, 'ttl' => 60], ['type' => 3, 'ttl' => 60], ['type' => -1, 'ttl' => 60], ['type' => 'one', 'ttl' => 60],
	['type' => '1x', 'ttl' => 60], ['type' => '', 'ttl' => 60], ['type' => null, 'ttl' => 60], ['type' => [1], 'ttl' => 60],
	['type' => 1, 'ttl' => 'soon'], ['type' => 1, 'ttl' => ''], ['type' => 1, 'ttl' => null], ['type' => 1, 'ttl' => [60]],
	['type' => 1, 'ttl' => '60 s'], ['type' => 1, 'ttl' => '99999999999999999999'], ['type' => 1, 'ttl' => new stdClass()],
	['type' => 1.0, 'ttl' => 60], ['type' => true, 'ttl' => 60], ['type' => 1, 'ttl' => 60.5], ['type' => 1, 'ttl' => 60, 'unit' => 's'],
	['type' => 1, 'ttl' => 0], ['type' => 1, 'ttl' => -60], ['type' => 1, 'ttl' => TEN_YEARS + 1], ['type' => 1, 'ttl' => PHP_INT_MAX],
] as $expire) {
	FrequencyLimit::reset('y', 1);
	foreach (['doHandle', 'check'] as $method) {
		throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$expire'],
			fn () => [FrequencyLimit::class, $method]('y', 1, 60, 5, $expire), "$method " . json_encode($expire));
	}
	same(false, FrequencyLimit::reset('y', 1), 'counts nothing: ' . json_encode($expire));
}
done();
?>
--EXPECT--
done
