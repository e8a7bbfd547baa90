--TEST--
scripts/demo.sh --web --redis: two machines share one count; a button stops Redis and starts it again
--EXTENSIONS--
ratelimit
session
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
if (trim((string) shell_exec('command -v redis-cli || command -v valkey-cli')) === '') {
	die('skip redis-cli is not installed');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/../include/web.inc';

/* The module of this test, and no build. */
$module = ini_get('extension_dir');
foreach (php_command([], []) as $word) {
	$module = preg_match('~^extension=(/.*ratelimit\.so)$~', $word, $found) ? $found[1] : $module;
}
$folder = temp_folder(0755);
$script = realpath(__DIR__ . '/../../scripts/demo.sh');
$environment = ['MODULE' => $module, 'DEMO_WORK_SECONDS' => '0.3', 'TMPDIR' => $folder, 'PATH' => dirname(PHP_BINARY) . ':' . getenv('PATH')];
$demo = proc_open(['bash', $script, '--web', '--redis'], [['file', '/dev/null', 'r'], ['file', "$folder/out", 'w'], ['file', "$folder/out", 'a']], $pipes, null, $environment);
$text = fn (): string => (string) file_get_contents("$folder/out");
ok(eventually(fn () => str_contains($text(), 'Ctrl-C ends it') || !proc_get_status($demo)['running'], 60.0), 'it starts');
preg_match_all('~http://(127\.0\.0\.1:\d+)/(?= is a second|\n)~', $text(), $found);
ok(count($found[1]) === 2 && preg_match('/password: (\w{8})$/m', $text(), $password) === 1, 'two addresses: ' . $text());
[$a, $b] = array_map(fn (string $address): Visitor => new Visitor("tcp://$address", ['Cookie' => 'user=7; lang=en']), $found[1]);
$left = function (Visitor $visitor, string $action): int {
	return array_column($visitor->get('/api/state')->json()['cards'], 'left', 'action')[$action];
};

/* Two machines, one count. */
same(['A', 'B'], [$a->get('/api/state')->json()['demo']['machine'], $b->get('/api/state')->json()['demo']['machine']], 'their names');
$answer = $a->post('/api/comment')->json();
same([true, 'redis', 9], [$answer['accepted'], $answer['store'], $left($b, 'comment')], 'a comment on A is counted on B');
ok(str_contains($a->get('/')->body, 'Redis answers: both machines share one count.') && str_contains($a->get('/')->body, $found[1][1]), 'the page says so, and links B');
ok(str_contains($a->get('/ratelimit.php')->body, 'Password'), 'the operator\'s page');

/* Redis stops: each machine counts for itself. It starts: the counts are those of before. */
same(400, $a->post('/api/redis', ['want' => 'break'])->status, 'an unknown wish');
same(200, $a->post('/api/redis', ['want' => 'stop'])->status, 'stop');
ok(eventually(fn () => ($b->post('/api/comment')->json()['store'] ?? '') === 'local', 20.0), 'B decides alone');
ok(eventually(fn () => $b->get('/api/state')->json()['demo']['isAway'], 20.0), 'and knows it');
ok(str_contains($b->get('/')->body, 'Redis is stopped'), 'as its page shows');
same(303, $b->post('/redis', ['want' => 'start'])->status, 'start, by a form');
ok(eventually(fn () => ($a->post('/api/like')->json()['store'] ?? '') === 'redis', 20.0), 'Redis is back');
ok(eventually(fn () => !$a->get('/api/state')->json()['demo']['isStopped'], 20.0), 'and is not stopped');
ok($left($a, 'comment') <= 9, 'its counts are those of before');

/* A log beside a window, a shadow, places. */
foreach (['window', 'log'] as $action) {
	same([200, 200, 200, 200, 200, 429], array_map(fn (): int => $a->post("/api/$action")->status, range(1, 6)), $action);
}
$notes = array_map(fn (): array => array_intersect_key($a->post('/api/search')->json(), ['accepted' => 1, 'note' => 1]), range(1, 6));
same([['accepted' => true, 'note' => null], ['accepted' => true, 'note' => 'It passes. The limit of 5 would refuse it.']], [$notes[4], $notes[5]], 'a shadow limit');
same(2, $left($a, 'report'), 'places');
same(200, $a->post('/api/report')->status, 'a report');
ok($a->post('/api/report')->json()['us'] > 250_000, 'which takes its time');

/* The end leaves nothing. */
$children = preg_split('/\s+/', trim((string) shell_exec('pgrep -P ' . proc_get_status($demo)['pid'])));
proc_terminate($demo, SIGTERM);
end_of($demo);
ok(eventually(fn () => array_filter($children, fn ($pid) => is_dir("/proc/$pid") && !str_contains((string) @file_get_contents("/proc/$pid/stat"), ') Z ')) === [], 20.0), 'every process has ended');
same([], glob("$folder/tmp.*"), 'and the folder is gone');
done();
?>
--EXPECT--
done
