--TEST--
The application's API: every endpoint counts, refuses with 429, its headers and the reason, and forgets (embedded store)
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
