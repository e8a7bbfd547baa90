--TEST--
bin/ratelimit acts on no unknown name or wrong kind: exit status 1 and the reason; it reads a ban back
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/command.inc';

$folder = temp_folder(0755);
$file = "$folder/limiters.ini";
file_put_contents($file, "[api]\nminute = fixed:10/1m\nexempt = bob\n[tried]\nminute = fixed:10/1m,shadow\n");
touch($file, time() - 10);
$ini = ['ratelimit.limiters' => $file, 'ratelimit.shm_path' => "$folder/segment"];
/* Each call counts its name on this machine: an action, a Limiter, and both. */
[$status, $out] = run_command(php_command($ini, ['-r', 'FrequencyLimit\Request::identifyBy(fn () => "acme"); #[FrequencyLimit\AccessLimit(60, 9, action: "write")] function write() {} write();
	#[FrequencyLimit\AccessLimit(60, 1, action: "export")] function export() { echo "exports "; } foreach ([1, 2] as $i) try { export(); } catch (FrequencyLimit\LimitExceeded $e) { echo "not"; } for ($i = 0; $i < 3; $i++) { FrequencyLimit::doHandle("like", 7, 600, 1);
	foreach (["code", "both"] as $name) { (new FrequencyLimit\Limiter($name, FrequencyLimit\Limit::fixedWindow(1, 9)))->allow(7); } FrequencyLimit::doHandle("both", 7, 600, 1); }']));
same([0, 'exports not'], [$status, $out], 'the calls');

$commands = ['ban' => ['--for=1h'], 'unban' => [], 'reset' => [], 'peek' => []];
foreach ([
	'apii bob --limiter' => 'have a Limiter "apii". One that your code makes needs its limits here: --limit=log:5/15m',
	'both al' => '"both" is a Limiter and an action: add --limiter, or for the action its limit: --limit=10/30s',
	'write acme --limit=9/60s' => '"write" is of an attribute. The action of one is a Limiter, whose --limit has an algorithm: --limit=fixed:10/30s',
	'like 7 --limiter' => 'counts "like" as an action of doHandle(), not as a Limiter: leave out --limiter',
	'like 7 --limit=fixed:1/600s' => 'counts "like" as an action of doHandle(), not as a Limiter: leave out --limiter',
	'like 7 --by=user' => 'counts "like" as an action of doHandle(), not as a Limiter: leave out --limiter',
] as $words => $why) {
	foreach ($commands as $command => $options) {
		[$exit, $out, $errors] = ratelimit([$command, ...explode(' ', $words), ...$options], $ini);
		same([1, ''], [$exit, $out], "$command $words");
		ok(str_starts_with($errors, 'ratelimit: nothing was done: ') && str_contains($errors, $why), "$command $words: $errors");
	}
}

/* A name that nothing knows, a network of an action: none of all is banned. */
foreach (['write bob' => '"write" is of an attribute', 'export 203.0.113.0/24' => '"203.0.113.0/24" is a network', 'write 203.0.113.0/24 --limit=fixed:9/1m' => '"203.0.113.0/24" is a network', 'apii bob' => 'have "apii"', 'comment 42 43' => 'have "comment"', 'like 7 203.0.113.0/24' => '"203.0.113.0/24" is a network'] as $words => $why) {
	[$exit, $out, $errors] = ratelimit(['ban', ...explode(' ', $words), '--for=1h'], $ini);
	ok($exit > 0 && $out === '' && str_contains($errors, $why), "$words: $out$errors");
}
same([1, "nobody is banned\n", ''], ratelimit(['bans'], $ini), 'nothing was done indeed');

/* A name that neither the machine nor the store has. */
foreach (['unban', 'reset', 'peek'] as $command) {
	[$exit, $out, $errors] = ratelimit([$command, 'nope', 'a'], $ini);
	same([1, ''], [$exit, $out], "$command nope");
	ok(str_contains($errors, 'nothing was done: neither the file of ratelimit.limiters nor the counts of this machine have "nope"'), "$command nope: $errors");
}

/* The count of an attribute is that of a Limiter. */
same(1, preg_match('/^ .* acme +export \(attribute\)$/m', ratelimit(['top'], $ini)[1]), 'top has the kind');
$exports = function () use ($ini): string {
	return run_command(php_command($ini + ['ratelimit.shm_size' => '32M'], ['-r', 'FrequencyLimit\Request::identifyBy(fn () => "acme"); #[FrequencyLimit\AccessLimit(60, 9, action: "export")] function export() { return "exports"; }
		try { echo export(); } catch (FrequencyLimit\LimitExceeded $e) { echo $e->result->reason->name; }']))[1];
};
same([0, "export, acme: banned for 1h\n", ''], ratelimit(['ban', 'export', 'acme', '--for=1h'], $ini), 'an attribute');
same('Banned', $exports(), 'refused indeed');
same(1, ratelimit(['peek', 'export', 'acme'], $ini)[0], 'peek');
same([0, "export, acme: the ban is lifted\n", ''], ratelimit(['unban', 'export', 'acme'], $ini), 'lifted');
[, $top] = ratelimit(['top', '--json'], $ini);
same([0, "export, acme: banned for 1h\n", ''], ratelimit(['ban', 'export', '--stdin', '--for=1h'], $ini, $top), 'by the rows of top');
same([0, "export, acme: the ban is lifted\n", ''], ratelimit(['unban', 'export', '--stdin'], $ini, ratelimit(['bans', '--json'], $ini)[1]), 'by those of bans');
same([0, "export, acme: its counts and its ban are forgotten\n", ''], ratelimit(['reset', 'export', 'acme'], $ini), 'reset');
same('exports', $exports(), 'it is served');
same([1, "write, bob: there was no ban\n", ''], ratelimit(['unban', 'write', 'bob'], $ini), 'one that refused nobody');
same([0, "write, bob: banned for 1h\n", ''], ratelimit(['ban', 'write', 'bob', '--for=1h', '--limit=fixed:9/1m'], $ini), 'with its limit');
ratelimit(['unban', 'write', 'bob'], $ini);

/* A ban that calls pass. */
foreach ([['api', 'bob', '--limiter'], ['tried', 'al', '--limiter'], ['like', '8']] as $words) {
	[$exit, $out] = ratelimit(['ban', ...$words, '--for=1h'], $ini + ($words[0] === 'like' ? ['ratelimit.enforce' => '0'] : []));
	ok($exit === 1 && str_contains($out, 'the ban is kept, but calls pass'), "$words[0]: $out");
}

/* What can be banned. */
foreach ([
	"api, al: banned for 1h\n" => ['api', 'al', '--limiter'],
	"api, 2001:db8::/64: banned for 1h\n" => ['api', '2001:db8::/64', '--limiter'],
	"code, al: banned for 1h\n" => ['code', 'al', '--limiter'],
	"other, al: banned for 1h\n" => ['other', 'al', '--limit=log:5/15m'],
	"both, al: banned for 1h\n" => ['both', 'al', '--limiter'],
	"action both, al: banned for 1h\n" => ['both', 'al', '--limit=10/30s'],
	"api, 7: banned for 1h\napi, 8: banned for 1h\n" => ['api', '7', '8'],
	"action like, 42: banned for 1h\n" => ['like', '42'],
	"action api, al: banned for 1h\n" => ['api', 'al', '--limit=10/30s'], // counted as a Limiter alone: its admitted calls have no count
	"action comment, 42: banned for 1h\n" => ['comment', '42', '--limit=10/30s'],
	"action comment, /24: banned for 1h\n" => ['comment', '/24', '--limit=10/30s'],
	"action comment, team/24: banned for 1h\n" => ['comment', 'team/24', '--limit=10/30s'],
] as $said => $words) {
	same([0, $said, ''], ratelimit(['ban', ...$words, '--for=1h'], $ini), implode(' ', $words));
}
same(2, preg_match_all('/^ .* al +both( \(doHandle\(\)\))?$/m', ratelimit(['bans'], $ini)[1], $rows), 'both bans');
same(1, count(array_filter($rows[1])), 'the list has the kind');
done();
?>
--EXPECT--
done
