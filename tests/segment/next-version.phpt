--TEST--
A build of the next version beside this one, on a user's memory, on a file and on one Redis, as during a deploy
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
require __DIR__ . '/../include/redis.inc';
require_once __DIR__ . '/../include/tools.inc';
needs_redis();
needs_apart();
skip_slow();
needs_build();
?>
--FILE--
<?php
/* The next version has another layout of the segment, and another version of the states and the requests on Redis; it reads those of this
 * one, as each next version has to (docs/operations.md). */
require __DIR__ . '/user.inc';
require __DIR__ . '/../include/redis.inc';
require_once __DIR__ . '/../include/tools.inc';
run_apart(__FILE__);

$folder = temp_folder();
exec('tar -C ' . escapeshellarg(__DIR__ . '/../..') . ' -c --exclude=*.o --exclude=*.lo --exclude=*.dep --exclude=.libs --exclude=*_lua.h config.m4 Makefile.frag php_ratelimit.h'
	. " ratelimit.c ratelimit.stub.php ratelimit_arginfo.h bin scripts src | tar -C $folder -x");
$next = [
	'src/shm/segment/segment.h' => ['/(define RL_SEGMENT_LAYOUT) \d+u/' => '$1 999u'],
	'src/redis/wire_format.h' => ['/(define RL_REDIS_VERSION) 1$/m' => '$1 2'],
	'src/redis/lua/limiter/10_request.lua' => ['/^local VERSION = 1\b/m' => 'local VERSION = 2'],
	'src/redis/lua/limiter/30_usual.lua' => ["/'\\\\1\\\\1'/" => "'\\\\2\\\\1'"],
	'src/redis/lua/limiter/80_question.lua' => ['/of_version ~= VERSION/' => '(of_version ~= VERSION and of_version ~= VERSION - 1)'],
];
foreach ($next as $file => $replacements) {
	foreach ($replacements as $pattern => $replacement) {
		file_put_contents("$folder/$file", preg_replace($pattern, $replacement, file_get_contents("$folder/$file"), -1, $n));
		ok($n > 0, "$file has $pattern");
	}
}
build_in($folder);

/** Runs code in a PHP of a version, and returns what it prints. */
$run = function (string $version, string $code, array $ini = []) use ($folder): string {
	$module = $version === 'new' ? "$folder/modules/ratelimit.so" : extension_file();
	[$exit, $said] = run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$module", ...ini_options($ini + ['ratelimit.on_failure' => 'throw']),
		'-r', "use FrequencyLimit\\{Limit, Limiter, Monitor}; \$say = fn (...\$facts) => print(json_encode(\$facts)); $code"]);
	return ($exit === 0 ? '' : "ended with $exit: ") . trim($said);
};
$call = '$r = (new Limiter("deploy", Limit::fixedWindow(10, 3600)))->consume("x"); $say($r->accepted, $r->remaining);';

/* The memory of the user: one for each layout. */
$apart = ['ratelimit.shm_path' => ''];
same(['[true,9]', '[true,8]', '[true,9]', '[true,7]', '[true,8]'], array_map(fn ($version) => $run($version, $call, $apart), ['old', 'old', 'new', 'old', 'new']),
	"the user's memory: each version counts for itself, and goes on with its own");
same(2, count(glob('/dev/shm/ratelimit-*')), 'a ticket for each');

/* A file: its layout decides who uses it. */
foreach ([['old', 'new'], ['new', 'old']] as [$first, $second]) {
	$file = ['ratelimit.shm_path' => "$folder/segment-of-$first", 'ratelimit.shm_size' => '1M', 'ratelimit.on_failure' => 'local'];
	same(['[true,9]', '[true,8]'], [$run($first, $call, $file), $run($first, $call, $file)], "a file of the $first version");
	$before = md5_file("$folder/segment-of-$first");
	$said = $run($second, $call, $file);
	ok(str_contains($said, 'another version of ratelimit wrote it') && str_ends_with($said, '[true,9]'), "the $second version refuses it with a warning, and counts in memory of its own: $said");
	same($before, md5_file("$folder/segment-of-$first"), 'it leaves it as it is');
	rename("$folder/segment-of-$first", "$folder/segment-of-$first.old");
	same(['[true,9]', '[true,8]'], [$run($second, $call, $file), $run($second, $call, $file)], 'where it was moved aside, the other version makes its own');
}

/* Redis: the new version goes on from the states of the old one. */
$redis = new RedisServer();
$store = ['ratelimit.store' => $redis->dsn('?deny_cache=0'), 'ratelimit.shm_path' => 'private'];
$limits = ['fixedWindow(10, 3600)', 'slidingLog(10, 3600)', 'slidingWindow(10, 3600)', 'tokenBucket(10, 360_000, burst: 10)', 'calendar(10, FrequencyLimit\Period::Year)'];
foreach ($limits as $limit) {
	$ask = fn (string $id, string $how = 'consume') => "\$l = new Limiter('deploy', Limit::$limit); \$r = \$l->$how('$id'); \$say(\$r->accepted, \$r->remaining);";
	$redis('FLUSHALL');
	same(['[true,9]', '[true,8]', '[true,7]', '[true,6]'], array_map(fn ($version) => $run($version, $ask('x'), $store), ['old', 'old', 'new', 'new']), "$limit: no count is lost");
	[$key] = $redis('KEYS', '*');
	$newer = $redis('GET', $key);
	same("\x02", $newer[0], "$limit: the state is of the new version");
	$said = $run('old', $ask('x'), $store);
	ok(str_contains($said, 'RATELIMIT_NEWER the key holds the state of a newer version'), "$limit: the old version does not decide by it: $said");
	same('[true,"StoreUnavailable"]', $run('old', "\$l = new Limiter('deploy', Limit::$limit); \$r = \$l->consume('x'); \$say(\$r->accepted, \$r->reason->name);", ['ratelimit.on_failure' => 'allow'] + $store),
		"$limit: on_failure does");
	same($newer, $redis('GET', $key), "$limit: it leaves it as it is");
	same(['[true,9]', '[true,8]', '[true,5]'], [$run('old', $ask('y'), $store), $run('old', $ask('y'), $store), $run('new', $ask('x'), $store)], "$limit: both go on");
}
$count = '$say(FrequencyLimit::doHandle("deploy", 1, 3600, 3));';
same(['[true]', '[true]', '[true]', '[false]', '[false]'], array_map(fn ($version) => $run($version, $count, $store), ['old', 'new', 'old', 'new', 'old']),
	'doHandle() counts together: its keys have no version');
done();
?>
--EXPECT--
done
