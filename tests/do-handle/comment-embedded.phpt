--TEST--
doHandle() admits exactly 10 comments in 30 seconds from the first, then starts afresh (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/comment.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
