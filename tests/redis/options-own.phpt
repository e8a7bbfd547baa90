--TEST--
Each limiter's own store has the options of its own DSN: timeout, deny_cache, retry_delay, lease
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../guard/leases-auto.inc';
use FrequencyLimit\{Limit, Limiter, Monitor, Reason};

$redis = redis_with_deny_cache();
$of = fn (string $options, ?Limit $limit = null, string $name = 'own') => new Limiter($name, $limit ?? Limit::fixedWindow(1, 3600),
	"unix://$redis->socket?connect_timeout=20000&$options");

/* deny_cache; ratelimit.store caches for an hour. */
[$cached, $asked] = [$of('timeout=20000&deny_cache=3600000'), $of('timeout=20000&deny_cache=0')];
$cached->consume('x');
$cached->consume('x');
same(['cache', 'redis', 'cache'], [$cached->consume('x')->store, $asked->consume('x')->store, $cached->consume('x')->store], 'deny_cache');
store_options(deny_cache: 0);
same('cache', $cached->consume('x')->store, 'whatever ratelimit.store has');

/* lease */
$large = Limit::fixedWindow(LARGE, 3600);
[$leased, $plain] = [$of('timeout=20000&lease=auto', $large, 'leased'), $of('timeout=20000', $large, 'plain')];
until_leased(fn () => $leased->consume('x'));
for ($i = 0; $i < 500; $i++) {
	same('redis', $plain->consume('x')->store, 'without lease=auto');
}

/* timeout and retry_delay. */
ini_set('ratelimit.on_failure', 'deny');
$patient = $of('timeout=20000', $large, 'patient');
$hasty = $of('timeout=40&retry_delay=2000', $large, 'hasty');
$redis('CLIENT', 'PAUSE', '500');
$start = stopwatch();
same('redis', $patient->consume('x')->store, 'a long timeout');
between(0.3, stopwatch() - $start, 20.0, 'seconds of a pause');
$redis('CLIENT', 'PAUSE', '5000');
$start = stopwatch();
$r = $hasty->consume('x');
same([Reason::StoreUnavailable, 2.0], [$r->reason, $r->retryAfter], 'a short one; retryAfter is retry_delay');
between(0.04, stopwatch() - $start, 4.5, 'seconds of 40 ms');

/* A wrong option. */
throws(FrequencyLimit\InvalidArgument::class, ['the option "timeout" must be between 1 and 60000 milliseconds'], fn () => $of('timeout=0'), 'a wrong value');
same(ini_get('ratelimit.store'), Monitor::stats()['store'], 'stats() have the options');
done();
?>
--EXPECT--
done
