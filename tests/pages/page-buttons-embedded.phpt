--TEST--
ratelimit.php: buttons look up, reset, ban and unban; errors are shown, names escaped (embedded store)
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
