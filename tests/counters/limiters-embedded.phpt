--TEST--
Decisions, refusals, bans, shadow refusals and near misses count by limiter and by limit (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/limiters.inc';
scenario_limiters(null);
done();
?>
--EXPECT--
done
