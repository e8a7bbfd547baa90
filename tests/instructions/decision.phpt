--TEST--
A decision takes no more instructions than bounds.inc says: doHandle(), a fixed window's and a sliding log's consume(), admitted and refused
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
[$counts, $compiler, $hash] = instructions(['dohandle', 'fixed_window', 'sliding_log']);
within_bounds($counts, "$compiler, $hash");
done();
?>
--EXPECT--
done
