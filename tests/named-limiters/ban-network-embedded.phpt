--TEST--
The ban of a network holds for each address in it, is listed and lifted as any other, and outlives 5,000 later bans
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/ban-network.inc';
network_scenario();
done();
?>
--EXPECT--
done
