--TEST--
bin/ratelimit on Redis: peek, reset, ban, unban and stats work; an unreachable Redis is exit status 3
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
$store = test_store('redis');
$ini = [];
command_scenario($ini + ['ratelimit.store' => $store->server->dsn()], 'redis');

[$exit, $out, $errors] = ratelimit(['peek', 'a', '1', '--limit=1/60s', '--store', $store->server->dsn()], $ini);
same([0, ''], [$exit, $errors], '--store, from a PHP that has another');

/* The counts are in the memory of the servers, which this command does not share. */
$own = $ini + ['ratelimit.store' => $store->server->dsn()];
[$exit, $out, $errors] = ratelimit(['stats', '--json'], $own);
$stats = json_decode($out, true);
same([0, ['store', 'servers', 'warnings'], ['closed']], [$exit, array_keys($stats), array_column($stats['servers'], 'state')], 'stats shows Redis alone');
ok($stats['servers'][0]['latency'] > 0 && str_contains($errors, 'ratelimit.shm_path'), "and the way to the counts: $errors");
[$exit, $out, $errors] = ratelimit(['stats'], $own);
ok($exit === 0 && preg_match('/^store .*\nserver .* closed for /', $out) === 1 && !str_contains($out, 'decisions'), "as text: $out");
same([3, ''], array_slice(ratelimit(['watch', '--count=1', '--interval=50ms'], $own), 0, 2), 'watch has nothing to show');
same([0, "ok: "], [($checked = ratelimit(['check'], $own))[0], substr($checked[1], 0, 4)], 'check');
ok(array_key_exists('decisions', json_decode(ratelimit(['stats', '--json', '--here'], $own)[1], true)), '--here');

/* Labels, and a key of before the file had them. */
$folder = temp_folder(0755);
file_put_contents("$folder/limiters.ini", "[api]\ntenants = fixed:10/1m,by=tenant\nusers = fixed:3/1m,by=user\n");
touch("$folder/limiters.ini", time() - 10);
(new FrequencyLimit\Limiter('api', FrequencyLimit\Limit::fixedWindow(10, 60)))->ban('old', 600);
(new FrequencyLimit\Limiter('api', FrequencyLimit\Limit::fixedWindow(10, 60)->by('tenant')))->ban(['tenant' => 7], 500);
[$exit, $out, $errors] = ratelimit(['bans'], $own + ['ratelimit.limiters' => "$folder/limiters.ini"]);
same([0, '', 2], [$exit, $errors, preg_match_all('/ (7 \(--by=tenant\)|old) +api\n/', $out)], "labels: $out");
/* Its rows are those of this machine's list. */
$escalates = new FrequencyLimit\Limiter('escalates', FrequencyLimit\Limit::fixedWindow(1, 60)->ban([0.05, 400], forget: 600));
$escalates->consume('x');
$escalates->consume('x');
usleep(60_000);
$escalates->consume('x'); // what was counted ended with the ban
same(2, $escalates->consume('x')->level, 'the second ban');
$rows = json_decode(ratelimit(['bans', '--json'], $own)[1], true);
same([['old', 0], ['7', 0], ['x', 2]], array_map(static fn (array $row): array => [(string) $row['identity'], $row['level']], $rows), 'bans as JSON');
foreach (array_filter(FrequencyLimit\Monitor::bans(9), static fn (array $row): bool => $row['kind'] === 'limiter') as $row) {
	$mine = array_values(array_filter($rows, static fn (array $one): bool => $one['name'] === $row['name'] && $one['identity'] === (string) $row['identity']));
	same(array_keys($row), array_keys($mine[0]), 'the same keys');
	same([$row['kind'], $row['by'], $row['elsewhere'], $row['level']], [$mine[0]['kind'], $mine[0]['by'], $mine[0]['elsewhere'], $mine[0]['level']], 'the same row');
	ok(abs($row['end'] - $mine[0]['end']) < 0.5, 'the same end');
}
$escalates->unban('x');
same(0, ratelimit(['unban', 'api', '7', '--by=tenant'], $own + ['ratelimit.limiters' => "$folder/limiters.ini"])[0], 'lifted');
(new FrequencyLimit\Limiter('api', FrequencyLimit\Limit::fixedWindow(10, 60)))->unban('old');
same([1, "nobody is banned\n"], array_slice(ratelimit(['bans'], $own), 0, 2), 'lifted indeed');

/* A ban that this machine has not seen has its kind in the store. */
ratelimit(['ban', 'unseen', 'alice', '--limit=log:5/15m', '--for=1h'], $own);
same([0, "unseen, alice: the ban is lifted\n", ''], ratelimit(['unban', 'unseen', 'alice'], $own), 'a Limiter of which this machine has no count');
[$exit, $out, $errors] = ratelimit(['unban', 'unseen', 'alice'], $own);
same([1, ''], [$exit, $out], 'no ban any more');
ok(str_contains($errors, 'have "unseen"'), $errors);

/* A key of others is left out. */
($store->server)('SET', 'act:limit:like:99', 'junk');
FrequencyLimit::ban('like', 7, 600);
[$exit, $out, $errors] = ratelimit(['bans'], $own);
same([0, 1, "ratelimit: warning: 1 of the keys left out, because ratelimit did not write their values\n"], [$exit, preg_match_all('/ 7 +like \(doHandle\(\)\)\n/', $out), $errors], 'the others');
[$exit, $out, $errors] = ratelimit(['reset', 'like', '99', '--limit=1/1s'], $own);
ok($exit === 1 && $out === '' && str_contains($errors, 'a value that ratelimit did not write'), "it is not reset: $errors");
($store->server)('DEL', 'act:limit:like:99');

/* The search for bans has bounds, and says when it ends at one. */
for ($i = 1; $i <= 1500; $i++) {
	FrequencyLimit::doHandle('many', $i, 600, 5);
}
FrequencyLimit::ban('like', 7, 600);
(new FrequencyLimit\Limiter('login', FrequencyLimit\Limit::slidingLog(5, 60)))->ban("a\e[31m", 60);
[$exit, $out, $errors] = ratelimit(['bans', '--keys=1000000'], $own);
same([0, ''], [$exit, $errors], 'bans');
ok(preg_match('/^  ends in +identity +banned from\n +(?:59|60)\.?\d* s|^  ends in/', $out) === 1 && str_contains($out, 'a\x1b[31m') && preg_match('/ 7 +like \(doHandle\(\)\)\n/', $out) === 1, $out);
[$exit, , $errors] = ratelimit(['bans', '--keys=10'], $own);
ok(str_contains($errors, 'the list is not complete: the search ended after'), $errors);

$store->server->stop();
same([3, ''], array_slice(ratelimit(['stats'], $own), 0, 2), 'stats of a Redis that is away');
same([3, 'wrong: '], [($checked = ratelimit(['check'], $own))[0], substr($checked[1], 0, 7)], 'check of a Redis that is away');
[$exit, $out, $errors] = ratelimit(['peek', 'a', '1', '--limit=1/60s', '--store', $store->server->dsn()], $ini);
same([3, ''], [$exit, $out], 'a Redis that is away');
ok(str_contains($errors, 'ratelimit: '), "it says so: $errors");
done();
?>
--EXPECT--
done
