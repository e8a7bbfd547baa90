--TEST--
Parallel calls of a tenant's users pass exactly to the limits, in one round trip each (Redis)
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/redis.inc';
$redis = new RedisServer;
ini_set('ratelimit.store', $redis->dsn());
require __DIR__ . '/labels.inc';

$calls = fn (): int => (int) (preg_match('/calls=(\d+)/', $redis->info('commandstats')['cmdstat_evalsha'] ?? '', $found) ? $found[1] : 0);
$before = $calls();
$limits = $limiter();
for ($i = 0; $i < 10; $i++) {
	$limits->consume(['tenant' => 'a', 'user' => 'b'], ['tenant' => 1, 'user' => 3]);
}
same(10, $calls() - $before, 'one script for each call');
done();
?>
--EXPECT--
done
