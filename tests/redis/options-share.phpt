--TEST--
Limiters whose DSNs differ in options share all that belongs to a Redis; another login or database shares no connection
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../guard/leases-auto.inc';
use FrequencyLimit\{Limit, Limiter, Monitor};

$redis = redis_with_deny_cache();
$connections = fn () => (int) $redis->info('stats')['total_connections_received'];
$dsn = fn (string $more, string $login = ''): string => "unix://$login$redis->socket?connect_timeout=20000&$more";
[$one, $other] = [$dsn('timeout=20000&deny_cache=3600000'), $dsn('timeout=19999&retry_delay=3600000&deny_cache=window')];
$pair = fn (string $name, Limit $limit) => [new Limiter($name, $limit, $one), new Limiter($name, $limit, $other)];

/* Counts, on one connection: also that of ratelimit.store. */
[$a, $b] = $pair('counts', Limit::fixedWindow(4, 3600));
$before = $connections();
FrequencyLimit::check('counts', 'x', 3600, 4);
same(1, $connections() - $before, 'the first connection');
same([3, 2, 1], [$a->consume('x')->remaining, $b->consume('x')->remaining, $a->consume('x')->remaining], 'counts');
same(1, $connections() - $before, 'no other connection');
same(1, count(array_filter(explode("\n", trim($redis('CLIENT', 'LIST', 'TYPE', 'normal'))), fn ($client) => str_contains($client, 'cmd=evalsha'))), 'of this process');

/* The deny cache. */
[$a, $b] = $pair('refusals', Limit::fixedWindow(1, 3600));
same([true, 'redis'], [$a->consume('x')->accepted, ($r = $a->consume('x'))->store], 'a refusal of Redis');
same([false, 'cache'], [($r = $b->consume('x'))->accepted, $r->store], 'is cached for the other');
$hasty = new Limiter('refusals', Limit::fixedWindow(1, 3600), $dsn('deny_cache=60000'));
same(['redis', 'cache', 'cache'], [$hasty->consume('x')->store, $hasty->consume('x')->store, $a->consume('x')->store], 'a shorter one is asked for again');
$b->reset('x');
same([true, 'redis'], [($r = $a->consume('x'))->accepted, $r->store], 'whose reset clears it');

/* A batch of permits. */
$limit = Limit::fixedWindow(LARGE, 3600);
$a = new Limiter('leases', $limit, $dsn('timeout=20000&lease=auto'));
$b = new Limiter('leases', $limit, $dsn('timeout=19998&lease=auto'));
until_leased(fn () => $a->consume('x'));
same('lease', $b->consume('x')->store, 'a batch of the other');

/* The places of a dead worker. */
[$a, $b] = $pair('places', Limit::concurrent(1, 600));
$held = $a->acquire('x');
same([true, false], [$held->result->accepted, $b->acquire('x')->result->accepted], 'one place');
$held->release();
[$mine, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
if (($pid = pcntl_fork()) === 0) {
	$held = $a->acquire('x');
	fwrite($theirs, $held->result->accepted ? 'y' : 'n');
	send_signal(getmypid(), 9);
}
same('y', fread($mine, 1), 'taken by another worker');
pcntl_waitpid($pid, $status);
same(true, eventually(fn () => $b->acquire('x')->result->accepted), 'its place comes free by a call of the other');

/* Another database, user or password. */
$redis('ACL', 'SETUSER', 'web', 'on', '>first', '>second', '~*', '&*', '+@all');
$limit = Limit::fixedWindow(100, 3600);
foreach ([
	'database' => [$dsn('db=1'), 99],
	'user' => [$dsn('timeout=20000', 'web:first@'), 99],
	'password' => [$dsn('timeout=20000', 'web:second@'), 98],
] as $what => [$place, $remaining]) {
	(new Limiter($what === 'database' ? $what : 'login', $limit, $one))->reset('x');
	$before = $connections();
	(new Limiter('login', $limit, $place))->consume("$what, for the scripts");
	same($what === 'password' ? 98 : 99, (new Limiter('login', $limit, $place))->consume('same')->remaining, "$what: its counts");
	same(1, $connections() - $before, "another $what: a connection");
	(new Limiter('login', $limit, "$place&retry_delay=2"))->consume('x');
	same(1, $connections() - $before, "another $what and other options: the same");
}

/* The breaker: one row, which is open for the other as well. */
same(1, count(array_filter(Monitor::stats()['servers'], fn ($s) => $s['server'] === "unix://$redis->socket")), 'a row');
ini_set('ratelimit.on_failure', 'local');
$redis->stop();
[$a, $b] = $pair('breaker', Limit::fixedWindow(100, 3600));
$errors = Monitor::stats()['redis_errors'];
$stores = [];
foreach ([$b, $a, $b, $a] as $limiter) {
	$stores[] = ($r = $limiter->consume('x'))->store;
}
same(['local', 'local', 'local', 'local'], $stores, 'Redis is away');
same(96, $r->remaining, 'one count on this machine');
same(2, Monitor::stats()['redis_errors'] - $errors, 'two attempts of both');
$rows = array_values(array_filter(Monitor::stats()['servers'], fn ($s) => $s['server'] === "unix://$redis->socket"));
same([1, 'open'], [count($rows), $rows[0]['state']], 'one row');
done();
?>
--EXPECT--
done
