--TEST--
A decision takes no more instructions than bounds.inc says: doHandle() and a fixed window's consume(), admitted and refused
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/instructions.inc';
needs_callgrind();
?>
--FILE--
<?php
require __DIR__ . '/instructions.inc';
[$counts, $by] = instructions(['dohandle', 'fixed_window']);
foreach ((require __DIR__ . '/bounds.inc')[$by] as $name => $bounds) {
	foreach ($bounds as $what => [$measured, $bound]) {
		$now = $counts[$name][$what];
		ok($now <= $bound, "$name, $what ($by): $now instructions above the floor, at most $bound (last measured: $measured)");
		ok($now > 50, "$name, $what: $now instructions cannot be a decision");
	}
}
done();
?>
--EXPECT--
done
