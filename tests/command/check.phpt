--TEST--
bin/ratelimit check finds each mistake of a configuration, with an exit status for scripts; --version shows the version
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/command.inc';

$folder = temp_folder(0755);
$ini = ['display_startup_errors' => '0', 'display_errors' => '0', 'log_errors' => '0', 'ratelimit.shm_path' => "$folder/segment"];
$check = function (int $exit, string $text, array $more, string $what) use ($ini): void {
	[$status, $out, $errors] = ratelimit(['check'], $more + $ini);
	same($exit, $status, "$what: $out$errors");
	ok(str_contains($out . $errors, $text) && str_starts_with($out, $exit === 0 ? 'ok: ' : 'wrong: '), "$what: $out$errors");
	[, $out] = ratelimit(['check', '--json'], $more + $ini);
	same($exit === 0, json_decode($out, true)['ok'], "$what: JSON");
};

$redis = new RedisServer();
$store = ['ratelimit.store' => $redis->dsn()];
$check(0, 'store shm:, segment file', [], 'the embedded store');
$check(0, 'segment file', $store, 'Redis');
$check(1, 'the option "timeout" must be between', ['ratelimit.store' => "unix://$redis->socket?timeout=soon"], 'a refused option');
$check(1, 'ratelimit.timeout is no setting of ratelimit', ['ratelimit.timeout' => '50'], 'an option that was a setting');
$check(1, 'there is no shared memory', ['ratelimit.shm_path' => "$folder/missing/segment", 'ratelimit.on_failure' => 'deny'], 'no segment');
file_put_contents("$folder/limiters.ini", "[login]\na = log:5\n");
$check(1, "$folder/limiters.ini: line 2", ['ratelimit.limiters' => "$folder/limiters.ini"], 'a broken file');
[, $out, $errors] = ratelimit(['check'], ['ratelimit.limiters' => "$folder/limiters.ini"] + $ini);
same(1, substr_count($out . $errors, 'line 2'), "its mistake is printed once: $out$errors");

/* Room for so many identities, of doHandle() and of the file's limiters. */
$ini['ratelimit.shm_size'] = '32M';
foreach ([460_000 => 0, 480_000 => 1] as $identities => $exit) {
	[$status, $out, $errors] = ratelimit(['check', "--identities=$identities"], $ini);
	same($exit, $status, "$identities identities: $out$errors");
	ok($exit === 0 || str_contains($errors, 'ratelimit.shm_size: 480000 identities at a time take 33 MB of shared memory, which has 32 MB'), $errors);
}
file_put_contents("$folder/limiters.ini", "[login]\na = log:100/5m\n[api]\nstore = redis://localhost:1\na = log:10000/5m\n");
[$status, $out, $errors] = ratelimit(['check', '--identities=40000'], ['ratelimit.limiters' => "$folder/limiters.ini"] + $ini);
ok(preg_match('/^ratelimit: login: 40000 identities at a time take \d+ MB/m', $errors) === 1 && !str_contains($errors, 'api: '), "a limiter of the file: $errors");

/* Redis: eviction, rights, replicas, versions; of the setting and of the file. */
$redis('CONFIG', 'SET', 'maxmemory', '100mb');
foreach (['allkeys-lru' => 1, 'volatile-lru' => 1, 'volatile-ttl' => 0, 'noeviction' => 0] as $policy => $exit) {
	$redis('CONFIG', 'SET', 'maxmemory-policy', $policy);
	$check($exit, $exit ? "maxmemory-policy $policy" : 'ok', $store, $policy);
}
$redis('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
$redis('CONFIG', 'SET', 'maxmemory', '0');
$check(0, 'ok', $store, 'no maxmemory: nothing is evicted');
$redis('ACL', 'SETUSER', 'weak', 'on', '>geheim', '~*', '+hello', '+evalsha', '+eval', '+get', '+time', '+pttl', '+pexpiretime');
$weak = str_replace('unix://', 'unix://weak:geheim@', $redis->dsn());
[, $out, $errors] = ratelimit(['check'], ['ratelimit.store' => $weak] + $ini);
$check(3, 'Redis at unix://weak:***@', ['ratelimit.store' => $weak], 'no right to write');
ok(!str_contains($out . $errors, 'geheim'), 'no password');
/* Each right of docs/redis.md, also while the server has the scripts. */
$rights = ['+eval', '+evalsha', '+get', '+set', '+incr', '+del', '+time', '+pexpiretime', '+info'];
$redis('ACL', 'SETUSER', 'each', 'on', '>secret', '~*', '+hello', ...$rights);
$each = ['ratelimit.store' => str_replace('unix://', 'unix://each:secret@', $redis->dsn())];
$check(0, 'ok', $each, 'all rights');
same([], preg_grep('/preflight:\d+$/', $redis('KEYS', 'act:limit:ratelimit*')), 'the count is reset');
foreach ($redis->info('server')['redis_version'] >= '7' ? $rights : [] as $right) {
	$redis('ACL', 'SETUSER', 'each', '-' . substr($right, 1));
	$right === '+info' ? $check(0, 'ok', $each, $right) : $check(3, 'Redis at unix://each:***@', $each, $right);
	$redis('ACL', 'SETUSER', 'each', $right);
}

$replica = new RedisServer(['--replicaof', 'localhost', '1']);
$check(3, 'it is a replica', ['ratelimit.store' => $replica->dsn()], 'a replica');
$old = new RedisServer(['--rename-command', 'HELLO', '']);
$check(3, 'or later is required', ['ratelimit.store' => $old->dsn()], 'too old');
$old->stop();
$check(3, "unix://$old->socket", ['ratelimit.store' => $old->dsn()], 'away');
file_put_contents("$folder/limiters.ini", "[login]\na = log:5/1m\nstore = {$old->dsn()}\n");
$check(3, "unix://$old->socket", ['ratelimit.limiters' => "$folder/limiters.ini"], 'a store of the file');

/* The calls that were decided without Redis, since when, and how many permits Redis has counted since. */
$quick = ['ratelimit.store' => "unix://$redis->socket?timeout=1000&retry_delay=1"] + $ini;
$redis->stop();
run_php('$l = new FrequencyLimit\Limiter("x", FrequencyLimit\Limit::fixedWindow(9, 60)); for ($i = 0; $i < 4; $i++) { $l->consume("one"); $l->consume("two"); }', $quick);
$redis->start();
run_php('$l = new FrequencyLimit\Limiter("x", FrequencyLimit\Limit::fixedWindow(9, 60)); for ($i = 0; $i < 9 && $l->consume("one")->remaining !== 4 - $i; $i++) { usleep(2000); }', $quick);
[, $out] = ratelimit(['check'], $quick);
ok(preg_match('/^8 calls were decided without Redis, the first at \d\d:\d\d; of 8 permits that passed so, Redis has counted 4 by now$/m', $out) === 1, $out);

same([0, 'ratelimit ' . phpversion('ratelimit') . "\n", ''], ratelimit(['--version']), '--version');
done();
?>
--EXPECT--
done
