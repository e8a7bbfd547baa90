--TEST--
The scripts send only the commands that they need: an admission of doHandle() two, one of ordinary limits three
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
use FrequencyLimit\{Limit, Limiter, Period};

$store = test_store('redis');
store_options(deny_cache: 0);
$version = $store->server->info('server')['redis_version'];
$look = version_compare($version, '7.0') >= 0 ? 'pexpiretime' : 'pttl';
/** Returns the commands that scripts sent during a call, with their last option. */
$monitor = stream_socket_client('unix://' . explode('?', substr($store->server->dsn(), strlen('unix://')))[0]);
stream_set_timeout($monitor, 20);
fwrite($monitor, "MONITOR\r\n");
same("+OK\r\n", fgets($monitor), 'monitored');
$commands = function (callable $call) use ($monitor, $store): array {
	$call();
	($store->server)('ECHO', $end = 'end-' . bin2hex(random_bytes(4)));
	for ($found = []; !str_contains($line = (string) fgets($monitor), $end) && $line !== '';) {
		if (preg_match('/ lua\] "(\w+)"/', $line, $m)) {
			$found[] = strtolower($m[1]) . (str_contains($line, '"KEEPTTL"') ? ' keepttl' : '');
		}
	}
	return $found;
};

$handle = fn (int $number) => fn () => FrequencyLimit::doHandle('commands', 1, 3600, $number);
same(['incr', 'pttl', 'time', 'set'], $commands($handle(2)), 'the first call of a window');
same(['incr', 'pttl'], $commands($handle(2)), 'one more');
same(['incr', 'set keepttl', $look, 'time'], $commands($handle(2)), 'a refused one, which takes its count back');
same(['get', $look, 'time'], $commands($handle(2)), 'refused again: nothing is written');
same(['get', $look, 'time', 'incr'], $commands($handle(4)), 'admitted by a larger number: it looks first');
same(['incr', 'pttl'], $commands($handle(4)), 'and then no more');

/* A process remembers 256 refused identities. */
$all = fn () => array_map(fn (int $id) => FrequencyLimit::doHandle('many', $id, 3600, 1), range(1, 1000));
$writes = fn (array $names): int => count(array_intersect($names, ['set keepttl']));
$all();
same(1000, $writes($commands($all)), 'each of 1,000 is refused for the first time');
ok($writes($commands($all)) >= 1000 - 256, 'of more than it remembers, refusals write again');

$limits = [
	'fixed' => [Limit::fixedWindow(100, 3600)],
	'calendar' => [Limit::calendar(100, Period::Year)],
	'log' => [Limit::slidingLog(100, 3600)],
	'sliding' => [Limit::slidingWindow(100, 3600)],
	'bucket' => [Limit::tokenBucket(300_000, 86400, 300_000)],
	'four' => [Limit::fixedWindow(100, 3600), Limit::slidingWindow(100, 3600), Limit::tokenBucket(100, 3600), Limit::calendar(100, Period::Year)],
];
foreach ($limits as $name => $list) {
	$limiter = new Limiter($name, $list);
	$consume = fn () => $limiter->consume('x');
	same(['get', 'time', 'set'], $commands($consume), "$name: the first call");
	same(['get', 'time', 'set'], $commands($consume), "$name: one more");
	same(['get', 'time'], $commands(fn () => $limiter->consume('x', $name === 'bucket' ? 300_000 : 100)), "$name: refused");
}
done();
?>
--EXPECT--
done
