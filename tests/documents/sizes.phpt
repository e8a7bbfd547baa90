--TEST--
The documents have the real layout, number of table entries, and share that a full table evicts
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

$operations = readme('docs/operations.md');
$slots = FrequencyLimit\Monitor::stats()['slots'];
preg_match('/default of 32 MB has ([\d,]+) slots/', $operations, $said);
same(number_format($slots), $said[1] ?? null, 'slots');

preg_match('/^#define RL_SEGMENT_LAYOUT (\d+)u/m', readme('src/shm/segment/segment.h'), $layout);
ok(str_contains(readme('CHANGELOG.md'), "The layout of a segment's file is $layout[1]."), "CHANGELOG.md: the layout $layout[1]");

preg_match_all('/^\| (\d+) % \| 1 in ([\d,]+) \|$/m', $operations, $rows, PREG_SET_ORDER);
same(['50', '60', '70', '80'], array_column($rows, 1), 'the rows of the table');
$id = 0;
foreach ($rows as [, $percent, $one]) {
	while ($id < $slots * $percent / 100) {
		FrequencyLimit::doHandle('ever new', ++$id, 86400, 10);
	}
	/* Where each is lost is chance. */
	$lost = FrequencyLimit\Monitor::stats()['evictions'];
	$expected = $id / (int) str_replace(',', '', $one);
	between($expected * .95 - 5 * sqrt($expected), $lost, $expected * 1.05 + 5 * sqrt($expected), "lost of $percent %");
}

$readme = readme('docs/semantics.md');
foreach ([0 => '/one in ([\d,]+) with the table half full/', 2 => '/one in ([\d,]+) at 70 %/'] as $row => $sentence) {
	preg_match($sentence, $readme, $said);
	same($rows[$row][2], $said[1] ?? null, 'docs/semantics.md says the same');
}
done();
?>
--EXPECT--
done
