--TEST--
A file of limiters with a mistake changes nothing, and the log has one line with the mistake and its line number
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/named.inc';
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limiter;

$log = temp_folder() . '/log';
ini_set('log_errors', '1');
ini_set('error_log', $log);
$lines = function () use ($log): array {
	$lines = is_file($log) ? file($log, FILE_IGNORE_NEW_LINES) : [];
	@unlink($log);
	return array_map(fn (string $line): string => preg_replace('/^\[[^]]*\] /', '', $line), $lines);
};

/* A file that is wrong from the first. */
$folder = temp_folder(0755);
$long = str_repeat('x', 300);
foreach ([
	'' => 'line 1: the file has no limiter',
	"; nothing\n" => 'line 1: the file has no limiter',
	"a = fixed:1/1s\n" => "line 1: a limiter's name comes first",
	"\n[login]\n" => 'line 2: [login] has no limit',
	"[login]\n[b]\na = fixed:1/1s\n" => 'line 2: [login] has no limit',
	"[login\na = fixed:1/1s\n" => 'line 1: a limiter looks like [login]',
	"[]\na = fixed:1/1s\n" => 'line 1: a limiter needs a name',
	"[a]\na = fixed:1/1s\n[a]\n" => 'line 3: a limiter needs a name of its own',
	"[$long]\n" => 'line 1: a limiter needs a name',
	"[a]\nfixed:1/1s\n" => 'line 2: a line is [limiter], name = limit',
	"[a]\n= fixed:1/1s\n" => 'line 2: a line is [limiter], name = limit',
	"[a]\n$long = fixed:1/1s\n" => 'line 2: the line is too long',
	"[a]\na = fixed:1/1\n" => 'line 2: "fixed:1/1" is not a limit: a duration looks like',
	"[a]\na = calendar:1/day@Mars/Base\n" => 'line 2: "calendar:1/day@Mars/Base" is not a limit: "Mars/Base" must be a time zone',
	"[a]\na = fixed:1/1s\na = fixed:2/1s\n" => 'line 3: there are two limits a',
	"[a]\na = fixed:1/1s,name=b\n" => 'line 2: the limit a must have its key as its name, name=b given',
	"[a]\nä = fixed:1/1s\n" => 'line 2: the name of a limit must be printable ASCII, byte 0xc3 given',
	"[a]\na = fixed:1/1s,lease=5\n" => 'line 2: "fixed:1/1s,lease=5" is not a limit: write "lease"',
	"[a]\na = fixed:1/1s,by=x\nb = fixed:1/1s\n" => 'line 3: [a] must have by= in all of its limits, or in none',
	"[a]\na = fixed:1/1s,by=x,shadow\n" => 'line 2: [a] has limits with by=, which cannot be shadows',
	"[a]\na = fixed:1/1s,by=x\nb = fixed:1/1s,by=y\nexempt = 7\n" => 'line 4: [a] has several labels (by=)',
	"[a]\nstroe = redis://user:geheim@h:6379?timeout=9\n" => 'line 2: "stroe" is not a setting, and its value is not a limit; a DSN belongs to store',
	"[a]\nstore = ftp://x\n" => 'line 2: store must be',
	"[a]\nstore = shm:\nstore = shm:\n" => 'line 3: [a] has two stores',
	"[a]\non_failure = maybe\n" => 'line 2: on_failure must be local, local:1/N with an N from 2 to 10000, allow, deny or throw, "maybe" given',
	"[a]\non_failure = local:1/1\n" => 'line 2: on_failure must be local, local:1/N with an N from 2 to 10000, allow, deny or throw, "local:1/1" given',
	"[a]\nexempt = 10.0.0.0/33\n" => 'line 2: exempt must be a list of addresses',
	"[a]\nrefuse = 10.0.0.0/33\n" => 'line 2: refuse must be a list of addresses',
	"[a]\nexempt = 9..5\n" => 'line 2: exempt must have ranges from the lower number to the higher one, "9..5" given',
	"[a]\nrefuse = $long\n" => 'line 2: refuse must have identities of at most 255 bytes',
	"[a]\na = fixed:1/1s,by=x\nb = fixed:1/1s,by=y\nrefuse = 7\n" => 'line 4: [a] has several labels (by=)',
	"[a]\n" . implode(array_map(fn (int $i): string => "l$i = fixed:1/1s\n", range(1, 9))) => 'line 10: a limiter has at most 8 limits',
	"[a]\na = fixed:1/1s\0\n" => 'line 1: the file has NUL bytes',
] as $text => $why) {
	$file = "$folder/" . md5($text);
	write_limiters($file, $text);
	ini_set('ratelimit.limiters', $file);
	throws(InvalidArgument::class, ['非法参数: $name must be a limiter of ratelimit.limiters, "login" given; ', "$file: $why"], fn () => Limiter::named('login'), json_encode($text));
	throws(InvalidArgument::class, [$why], fn () => Limiter::named('login'), 'again');
	same(1, count($written = $lines()), json_encode($text) . ': lines of the log');
	$rest = preg_match('/^\[[ab]\]\na = fixed:1\/1s\n(?:\[a\]\n)?$/m', $text) && !str_contains($text, "\0") ? 'its other limiters are in use' : 'there are no named limiters';
	ok(str_starts_with($written[0] ?? '', "ratelimit: ratelimit.limiters: $file: $why") && str_ends_with($written[0], "; $rest"), $written[0] ?? 'none');
}
foreach (["$folder/missing" => 'No such file or directory', $folder => 'it is no regular file'] as $file => $why) {
	ini_set('ratelimit.limiters', $file);
	throws(InvalidArgument::class, ["$file: $why"], fn () => Limiter::named('login'), $file);
	same(1, count($lines()), "$file: lines of the log");
}

/* Nobody has a version without a mistake yet: the limiters without one are in use. */
write_limiters($file = "$folder/some", "\xef\xbb\xbf[first]\na = fixed:1/1s\n[broken]\na = fixed:1\n[\nc = fixed:2/1s\n[empty]\n[first]\na = fixed:9/1s\n[last]\na = fixed:3/1s\n");
ini_set('ratelimit.limiters', $file);
same([1, 3], array_map(fn (string $name): int => Limiter::named($name)->limits[0]->limit, ['first', 'last']), 'those without a mistake');
foreach (['broken', 'empty', 'c'] as $name) {
	throws(InvalidArgument::class, ["\"$name\" given; $file: line 4: \"fixed:1\" is not a limit"], fn () => Limiter::named($name), $name);
}
same(1, count(preg_grep('/line 4: .*; its other limiters are in use$/', $lines())), 'one line about the first mistake');
write_limiters($file, "[first]\na = fixed:x/1s\n[last]\na = fixed:4/1s\n");
look_again($file);
same(4, Limiter::named('last')->limits[0]->limit, 'another mistake');
throws(InvalidArgument::class, ["\"first\" given; $file: line 2: "], fn () => Limiter::named('first'), 'which is elsewhere');
$lines();

/* A password behind a mistyped key is nowhere. */
foreach (['redis://:geheim@h', 'rediss://u:geheim@h:1/2', 'unix://:geheim@/sock', 'cluster://:geheim@a,b', '"redis://:geheim@h"', 'fixed:1/1s,from=redis://:geheim@h'] as $dsn) {
	write_limiters($file = "$folder/typo", "[a]\nstroe = $dsn\n");
	touch($file, time() - 5 - strlen($dsn));
	ini_set('ratelimit.limiters', '');
	ini_set('ratelimit.limiters', $file);
	try {
		Limiter::named('a');
		failed("$dsn: no exception");
	} catch (InvalidArgument $e) {
		ok(!str_contains($e->getMessage() . $e . implode($lines()) . json_encode(FrequencyLimit\Monitor::stats()), 'geheim'), "$dsn: {$e->getMessage()}");
	}
}

/* A good file that gets a mistake, loses it, is deleted, and comes back. */
$file = limiters_file("[login]\na = fixed:5/1m\n");
$limit = fn (): int => Limiter::named('login')->limits[0]->limit;
same([5, [], []], [$limit(), $lines(), FrequencyLimit\Monitor::stats()['warnings']], 'good');
write_limiters($file, "[login]\na = fixed:6/1m\nb = oops\n");
same(5, $limit(), 'a mistake changes nothing');
$written = $lines();
ok(count($written) === 1 && str_contains($written[0], "$file: line 3: \"oops\" is not a limit") && str_contains($written[0], 'the limiters that it had before stay in use'), implode("\n", $written));
same(["ratelimit.limiters: $file: line 3: \"oops\" is not a limit: a limit looks like fixed:10/30s or log:5/60s,name=minute"], FrequencyLimit\Monitor::stats()['warnings'], 'stats()');
look_again($file);
same([5, []], [$limit(), $lines()], 'one line only');
write_limiters($file, "[login]\na = fixed:6/1m\n", 5);
same([6, [], []], [$limit(), $lines(), FrequencyLimit\Monitor::stats()['warnings']], 'mended');
unlink($file);
look_again($file);
same(6, $limit(), 'a missing file changes nothing');
same(1, count($lines()), 'one line about it');
look_again($file);
same([6, []], [$limit(), $lines()], 'one line only');
write_limiters($file, "[login]\na = fixed:7/1m\n", 4);
same([7, []], [$limit(), $lines()], 'back');
done();
?>
--EXPECT--
done
