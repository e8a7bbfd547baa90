--TEST--
A permit ends where it was decided: in Redis, or with a StoreException; a local one here, even when Redis is back
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter, StoreException};

$redis = new RedisServer();
store_options(retry_delay: 1);
$limiter = new Limiter('away', ['places' => Limit::concurrent(4, 600), 'rate' => Limit::fixedWindow(100, 600)], $redis->dsn());
$of_redis = [$limiter->acquire('x'), $limiter->acquire('x'), $limiter->acquire('x'), $limiter->acquire('x')];
same(['redis', false, 'redis'], [$of_redis[0]->result->store, ($r = $limiter->acquire('x')->result)->accepted, $r->store], 'Redis decides');
same([true, true], [$of_redis[0]->release(), $limiter->acquire('x')->release()], 'a refusal by its places is not remembered');

$redis->stop();
foreach (['release' => [], 'settle' => [1], 'cancel' => []] as $method => $arguments) {
	$permit = array_pop($of_redis);
	throws(StoreException::class, [], fn () => $permit->renew(), "renew() before $method()");
	throws(StoreException::class, [], fn () => $permit->$method(...$arguments), "$method() without Redis");
	same(false, $permit->release(), "$method(): the permit has ended");
}
$local = [$limiter->acquire('x', 2), $limiter->acquire('x')];
same(['local', true], [$local[0]->result->store, $local[0]->result->accepted], 'this machine decides');
ini_set('error_log', '/dev/null');
unset($of_redis);

$redis->start();
same(true, eventually(fn () => $limiter->peek('y')->store === 'redis'), 'Redis is back');
same([true, 'local', true], [$local[0]->renew(), $local[0]->settle(1)->store, $local[1]->release()], 'the local permits end here');
$redis->stop();
same(true, $limiter->acquire('x', 4)->result->accepted, 'where all places are free again');
done();
?>
--EXPECT--
done
