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
[$counts, $compiler, $hash] = instructions(['dohandle', 'fixed_window']);
within_bounds($counts, "$compiler, $hash");
done();
?>
--EXPECT--
done
