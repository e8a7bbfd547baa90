--TEST--
ratelimit.php: each button looks up, forgets, bans and lifts a ban; what is wrong is said; names are text (embedded store)
--EXTENSIONS--
ratelimit
session
--FILE--
<?php
require __DIR__ . '/page-buttons.inc';
page_scenario(app([], 4, ['RATELIMIT_PASSWORD' => PASSWORD]));
done();
?>
--EXPECT--
done
