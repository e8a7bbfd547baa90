--TEST--
The fallback of an outage keeps apart what prefix, database and DSN keep apart on Redis, and the counts of "shm:"
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.on_failure=local
error_log=/dev/null
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
store_options(retry_delay: 3600000);
use FrequencyLimit\{Limit, Limiter};

/** True for the first identity 7 of a store, by each of the three ways to count. */
$first = function (): array {
	$limiter = new Limiter('api', Limit::tokenBucket(1, 3600));
	$answers = [FrequencyLimit::check('like', 7, 3600, 1), $limiter->consume(7)];
	return [...array_column(array_map(fn ($r) => ['accepted' => $r->accepted], $answers), 'accepted'), FrequencyLimit::doHandle('vote', 7, 3600, 1),
		FrequencyLimit::isActionAllowed(7, 'post', 3600, 1)];
};
$all = [true, true, true, true];
$none = [false, false, false, false];

use_store('unix:///nowhere/redis.sock');
same($all, $first(), 'nothing is counted yet');
same($none, $first(), 'all is used up');
same([$none, $none], in_processes(2, $first), 'for the other workers of the machine, too');
ini_set('ratelimit.prefix', 'siteB:');
same($all, $first(), 'another prefix');
same($none, $first(), 'used up as well');
ini_restore('ratelimit.prefix');
same($none, $first(), 'the first prefix');
foreach (['unix:///nowhere/redis.sock?db=1' => 'another database', 'unix:///nowhere/else.sock' => 'another server', 'shm:' => 'the embedded store'] as $dsn => $what) {
	use_store($dsn);
	same($all, $first(), $what);
	same($none, $first(), "$what: used up");
}
use_store('unix:///nowhere/redis.sock');
same($none, $first(), 'the first server');
done();
?>
--EXPECT--
done
