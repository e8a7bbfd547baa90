--TEST--
Decisions about attributes count by function, without the path, and by limit
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/counters.inc';
use FrequencyLimit\{AccessLimit, ConcurrencyLimit, LimitExceeded};

#[AccessLimit(seconds: 60, maxCount: 2)]
function often(): void
{
}

#[ConcurrencyLimit(limit: 1, seconds: 60)]
function once(int $depth): void
{
	if ($depth > 0) {
		once($depth - 1);
	}
}

for ($i = 0; $i < 5; $i++) {
	try {
		often();
	} catch (LimitExceeded) {
	}
}
try {
	once(1);
} catch (LimitExceeded) {
}
same(['decisions' => 5, 'refused' => 3, 'near' => 1], counts('often', 'attribute'), 'AccessLimit');
same(['decisions' => 2, 'refused' => 1, 'near' => 1], counts('once', 'attribute'), 'ConcurrencyLimit');
same([['refused' => 3]], array_values(limit_counts('often', 'attribute')), 'its limit');
same([['attribute', 'often', 3], ['attribute', 'once', 1]], array_map(fn (array $row): array => [$row['kind'], $row['name'], $row['refusals']], FrequencyLimit\Monitor::top()), 'top()');
done();
?>
--EXPECT--
done
