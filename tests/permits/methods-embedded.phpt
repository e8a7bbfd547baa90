--TEST--
A permit ends once: by release(), settle() or cancel(), which give back exactly what they promise (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/methods.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
