--TEST--
Four machines with different clocks never exceed a shared limit under faults, and count nothing twice
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_redis();
needs_tool('simclock.so');
?>
--FILE--
<?php
/* scripts/long.sh machines makes a million of it. */
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

foreach (['namespaces', 'processes', 'cluster'] as $how) {
	[$exit, $output] = run_command(php_command([], [__DIR__ . '/../tools/machines.php', '6000', $how]));
	$figures = json_decode($output, true);
	ok($exit === 0 && is_array($figures), "$how: $output");
	/* On a busy machine most requests meet a fault, or their timeout. */
	ok($figures['decisions'] >= 6000 && $figures['admitted'] > 100, "$how: there were decisions: $output");
	ok($figures['flushes'] > 5 && ($how === 'cluster' ? $figures['slots_moved'] > 3 : $figures['connections_killed'] > 2), "$how: there were faults: $output");
	ok($figures['each'] === 'a process' || $figures['cables_pulled'] > 0, "$how: and pulled cables: $output");
	between(0, $figures['permits_lost'], $figures['unknown'], "$how: lost permits are those of which nobody knows");
}
done();
?>
--EXPECT--
done
