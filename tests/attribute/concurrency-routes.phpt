--TEST--
Every way to call a function with #[ConcurrencyLimit] or #[RateLimit] holds its place, which comes free afterwards
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/concurrency-routes.inc';

play_concurrency();
play_concurrency(['ratelimit.attributes' => '0'], 'off');

done();
?>
--EXPECT--
done
