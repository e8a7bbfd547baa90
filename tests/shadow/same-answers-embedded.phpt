--TEST--
A shadow limit changes no answer of the limits beside it, and refuses what it would refuse alone (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/same-answers.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
