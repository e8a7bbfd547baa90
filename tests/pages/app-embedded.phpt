--TEST--
The application's API counts at every endpoint, refuses with 429, headers and reason, and resets (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/app.inc';
app_scenario(app(), 'shm');
done();
?>
--EXPECT--
done
