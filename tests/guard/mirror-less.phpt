--TEST--
Where Redis tells of less, so does the mirror; a late answer, and a worker stopped over its reply, lower no count
--EXTENSIONS--
ratelimit
posix
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
store_options(connect_timeout: 20000, timeout: 20000, retry_delay: 60000, deny_cache: 0);
ini_set('error_log', '/dev/null');
use FrequencyLimit\{Limit, Limiter, Period};

$redis = new RedisServer();
ini_set('ratelimit.store', $redis->dsn());
$of = [
	'fixed window' => [Limit::fixedWindow(30, 86400 * 30)],
	'calendar window' => [Limit::calendar(30, Period::Year)],
	'sliding log' => [Limit::slidingLog(30, 86400 * 30)],
	'sliding window' => [Limit::slidingWindow(30, 86400 * 30)],
	'token bucket' => [Limit::tokenBucket(30, 315_360_000)],
	'several' => [Limit::fixedWindow(30, 86400 * 30), Limit::slidingLog(900, 86400 * 30)],
];
$limiters = [];
/* Calls until an answer took at most 20 ms, because a later one lowers no count. Returns the number of calls. */
$promptly = function (callable $call): int {
	for ($calls = 1;; $calls++) {
		$began = hrtime(true);
		$call();
		if (hrtime(true) - $began < 20_000_000) {
			return $calls;
		}
	}
};
foreach ($of as $name => $limits) {
	$limiters[$name] = $l = new Limiter($name, $limits);
	foreach (['reset elsewhere', 'banned, and reset elsewhere', 'given back', 'stopped'] as $id) {
		same(true, $l->consume($id, 10)->accepted, "$name: $id");
	}
	$l->ban('banned, and reset elsewhere', 3600);
	same('banned', $l->consume('banned, and reset elsewhere')->reason->value, "$name: banned, with 10 used");
	$permit = $l->acquire('given back', 10);
	same(true, $permit?->cancel(), "$name: given back");
	$given_back[$name] = 10 + $promptly(fn () => same(true, $l->consume('given back')->accepted, "$name: one more than 10 is used"));
}
same(true, FrequencyLimit::check('less', 'x', 86400, 30)->accepted, 'check');
same(true, FrequencyLimit::check('less', 'x', 86400, 30)->accepted, 'check');

/* Redis reads the request of a worker, which is stopped before it reads the reply. */
$redis->signal(19);
$worker = pcntl_fork();
if ($worker === 0) {
	foreach ($limiters as $limiter) {
		$limiter->consume('stopped');
		break;
	}
	posix_kill(getmypid(), 9);
}
ok(eventually(fn () => str_contains((string) @file_get_contents("/proc/$worker/stat"), ') S ')), 'the worker waits for its reply');
posix_kill($worker, 19);
$redis->signal(18);
same('PONG', $redis('PING'), 'Redis has read the request');
same(true, $limiters['fixed window']->consume('stopped', 15)->accepted, 'stopped: 26 are used');
posix_kill($worker, 18);
pcntl_waitpid($worker, $status);

/* Another machine, whose commands this one does not see. */
foreach (array_keys($of) as $name) {
	foreach (['reset elsewhere', 'banned, and reset elsewhere'] as $id) {
		foreach ($redis('KEYS', "*$id*") as $key) {
			$redis('DEL', $key);
		}
	}
}
foreach ($redis('KEYS', '*less*') as $key) {
	$redis('DEL', $key);
}
foreach ($limiters as $name => $limiter) {
	foreach (['reset elsewhere', 'banned, and reset elsewhere'] as $id) {
		$used[$name][$id] = 2 * $promptly(fn () => same(true, $limiter->consume($id, 2)->accepted, "$name: $id: Redis tells of 2"));
	}
}
/* An answer of more than 20 ms may be older than what the machine knows: it lowers nothing. */
foreach ($limiters as $name => $limiter) {
	for ($n = 1;; $n++) {
		same(true, $limiter->consume("late $n", 10)->accepted, "$name: late $n");
		foreach ($redis('KEYS', "*$name*late $n*") as $key) {
			$redis('DEL', $key);
		}
		$redis('CLIENT', 'PAUSE', '100');
		$began = hrtime(true);
		same(true, $limiter->consume("late $n", 2)->accepted, "$name: late $n: Redis tells of 2");
		if (hrtime(true) - $began > 60_000_000) {
			$late[$name] = "late $n";
			break;
		}
	}
}
$checked = $promptly(fn () => ok(FrequencyLimit::check('less', 'x', 86400, 30)->remaining < 30, 'check: Redis tells of 1'));

$redis->signal(19);
store_options(connect_timeout: 50, timeout: 50);
foreach ($of as $name => $limits) {
	$limiter = new Limiter($name, $limits);
	$limiter->consume('somebody');
	$left = function (string $id) use ($limiter): int {
		for ($n = 0; $limiter->consume($id)->accepted; $n++);
		return $n;
	};
	foreach ($used[$name] as $id => $n) {
		same(30 - $n, $left($id), "$name: $id");
	}
	same(30 - $given_back[$name], $left('given back'), "$name: given back");
	same(20, $left($late[$name]), "$name: a late answer");
	if ($name === 'fixed window') {
		same(4, $left('stopped'), "$name: the stopped worker has told of 11, later than another one of 26");
	}
}
same(30 - $checked - 1, FrequencyLimit::check('less', 'x', 86400, 30)->remaining, 'check: one of what is left');
$redis->signal(18);
done();
?>
--EXPECT--
done
