--TEST--
allow() and consume() count one identity together, however it is written: ints, their decimal texts, other strings
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
use FrequencyLimit\{Limit, Limiter};

/* Identities that are one, and identities that are none of the others. */
$same = [[7, '7'], [-7, '-7'], [0, '0'], [PHP_INT_MAX, (string) PHP_INT_MAX], [PHP_INT_MIN, (string) PHP_INT_MIN]];
$alone = ['07', '+7', '-0', '7 ', ' 7', '7a', 'a7', ':', '/', 'a', 'ab', 'abc', "a\0", "\0", "\xff", "\xc3\xa9", '9223372036854775808', 'user:7',
	'192.168.0.17', '8.8.8.8', '2001:db8::17', '123.4', '1234.5', '12345.6', '-1.5', '7.0', '1e5', '12345a',
	...array_map(fn (int $n): string => str_repeat('k', $n), [3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 254, 255])];
$kinds = [
	'fixed' => fn (): Limit => Limit::fixedWindow(1000, 3600),
	'bucket' => fn (): Limit => Limit::tokenBucket(1000, 3600 * 24),
	'calendar' => fn (): Limit => Limit::calendar(1000, FrequencyLimit\Period::Year, 'UTC'),
	'log' => fn (): Limit => Limit::slidingLog(1000, 3600),
];
foreach ($kinds as $name => $limit) {
	$limiter = new Limiter($name, $limit());
	foreach ([...$same, ...array_map(fn (string $id): array => [$id, $id], $alone)] as [$id, $written]) {
		$left = [];
		foreach ([1, 2, 3] as $round) {
			ok($limiter->allow($id) && $limiter->allow($written), "$name: allowed");
			$left[] = $limiter->consume($round === 2 ? $id : $written)->remaining;
		}
		same([997, 994, 991], $left, "$name, " . var_export($id, true));
	}
}

/* To the last permit, and no further. */
foreach ([8, 'x', '8x'] as $id) {
	$few = new Limiter('few', Limit::fixedWindow(3, 3600));
	same([true, true, true, false, false, false], array_map(fn (): bool => $few->allow($id), range(1, 6)), 'three of six');
}
foreach (['', str_repeat('k', 256)] as $wrong) {
	throws(FrequencyLimit\InvalidArgument::class, ['between 1 and 255 bytes long'], fn () => $few->allow($wrong), 'no identity');
}

/* What was decided, by name. */
$counts = fn (string $name): array => array_values(array_filter(FrequencyLimit\Monitor::limiters(), fn (array $row): bool => $row['name'] === $name))[0];
same([18, 9], [$counts('few')['decisions'], $counts('few')['refused']], 'the counts of the name');
done();
?>
--EXPECT--
done
