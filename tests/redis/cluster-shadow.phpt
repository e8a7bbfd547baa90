--TEST--
In a cluster, a limiter with a shadow gets the answers of both, whichever nodes decide
--EXTENSIONS--
ratelimit
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
use FrequencyLimit\{Limit, Limiter};
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';
$redis = new RedisCluster(3, 0);
ini_set('ratelimit.store', $redis->dsn());
$both = new Limiter('both', [Limit::slidingLog(3, 3600), Limit::tokenBucket(2, 36000)->named('bucket')->shadow()]);
foreach (range(1, 20) as $id) {
	$answers = [];
	for ($i = 0; $i < 4; $i++) {
		$result = $both->consume($id);
		$answers[] = [$result->accepted, $result->remaining, $result->shadow];
	}
	same([[true, 2, null], [true, 1, null], [true, 0, 'bucket'], [false, 0, 'bucket']], $answers, "identity $id");
}
done();
?>
--EXPECT--
done
