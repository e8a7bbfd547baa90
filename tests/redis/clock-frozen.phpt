--TEST--
A decision on Redis while the clock is frozen throws a StoreException
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
$store = test_store('redis');
FrequencyLimit\Clock::freeze();
throws(FrequencyLimit\StoreException::class, [], fn () => FrequencyLimit::doHandle('frozen', 1, 60, 1), 'frozen');
FrequencyLimit\Clock::unfreeze();
same(true, FrequencyLimit::doHandle('frozen', 1, 60, 1), 'and goes on when it runs again');
done();
?>
--EXPECT--
done
