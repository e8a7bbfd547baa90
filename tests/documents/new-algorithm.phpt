--TEST--
An algorithm added as the page describes compiles without a warning, decides on both stores, and has its word
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
if (getenv('SKIP_SLOW_TESTS')) {
	die('skip slow');
}
exec('command -v phpize && command -v php-config && command -v make && pkg-config --exists hiredis', $lines, $exit);
if ($exit !== 0) {
	die('skip the extension cannot be built here');
}
?>
--FILE--
<?php
/* The toy is a copy of the fixed window under another number and word: docs/adding-an-algorithm.md, part 1. */
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
require __DIR__ . '/../include/redis.inc';

const ROOT = __DIR__ . '/../..';
const LIMITER = 'src/redis/lua/limiter';
$folder = temp_folder();
exec('tar -C ' . escapeshellarg(ROOT) . ' -c --exclude=*.o --exclude=*.lo --exclude=*.dep --exclude=.libs config.m4 Makefile.frag php_ratelimit.h ratelimit.c'
	. " ratelimit.stub.php ratelimit_arginfo.h bin ratelimit.php scripts src | tar -C $folder -x");

/** Writes a copy of a file with replacements of what matches patterns, each of which must match. */
function plant(string $file, string $from, array $replacements): void
{
	global $folder;
	$text = file_get_contents("$folder/$from");
	foreach ($replacements as $pattern => $replacement) {
		$text = preg_replace($pattern, $replacement, $text, -1, $n);
		ok($n > 0, "$from has $pattern");
	}
	file_put_contents("$folder/$file", $text);
}

plant('src/core/limit/limit.h', 'src/core/limit/limit.h', ['/^ *ROW\(6, .*\)$/m' => '$0 \\' . "\n" . ' ROW(7, RL_TOY_WINDOW, toy_window, "toy")']);
plant('src/core/algorithm/toy_window.c', 'src/core/algorithm/fixed_window.c', ['/RL_FIXED_WINDOW/' => 'RL_TOY_WINDOW', '/rl_fixed_window_ops/' => 'rl_toy_window_ops']);
plant(LIMITER . '/10_request.lua', LIMITER . '/10_request.lua', ['/^local fixed_window,/m' => 'local toy_window, fixed_window,']);
plant(LIMITER . '/26_toy_window.lua', LIMITER . '/20_fixed_window.lua', ['/only == 1\b/' => 'only == 7', '/\bfixed_window = /' => 'toy_window = ']);
plant(LIMITER . '/30_usual.lua', LIMITER . '/30_usual.lua',
	['/^\t\telseif algorithm == 3 then$/m' => "\t\telseif algorithm == 7 then\n\t\t\tstep = toy_window\n$0"]);
plant(LIMITER . '/35_state.lua', LIMITER . '/35_state.lua', ['/\{21, 11, 19, 18, 26, 15\}, \{0, 12, 7, 6, 0, 15\}/' => '{21, 11, 19, 18, 26, 15, 21}, {0, 12, 7, 6, 0, 15, 0}']);
plant(LIMITER . '/46_toy_window.lua', LIMITER . '/40_fixed_window.lua', ['/algorithms\[1\]/' => 'algorithms[7]', '/\bfixed_window\(/' => 'toy_window(']);
/* scripts/stub.sh would make these lines of a new method of the stub. */
file_put_contents("$folder/ratelimit_arginfo.h", implode(array_map(
	fn (string $line): string => $line . (str_contains($line, 'Limit_slidingWindow') || str_contains($line, 'Limit, slidingWindow') ? str_replace('slidingWindow', 'toyWindow', $line) : ''),
	file("$folder/ratelimit_arginfo.h"))));
plant('src/php/limit/limit_class.c', 'src/php/limit/limit_class.c',
	['/^ZEND_METHOD\(FrequencyLimit_Limit, slidingWindow\)\n\{\n.*\n\}\n/m' => '$0' . "\nZEND_METHOD(FrequencyLimit_Limit, toyWindow)\n{\n"
		. "\twindowed(INTERNAL_FUNCTION_PARAM_PASSTHRU, RL_TOY_WINDOW, RL_LIMIT_MAX);\n}\n"]);

[$exit, $said] = run_command(['sh', '-c', "cd $folder && phpize && ./configure --enable-ratelimit-dev CFLAGS=-O0 && make -j2"]);
same(0, $exit, 'the build: ' . substr($said, -1000));

$redis = new RedisServer();
[$exit, $said] = run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$folder/modules/ratelimit.so", '-d', 'ratelimit.testing=1', '-r', '
	use FrequencyLimit\{Clock, Limit, Limiter};
	$limit = Limit::toyWindow(2, 60);
	echo "$limit $limit->algorithm $limit->limit ", Limit::parse("toy:2/60s") == $limit ? "equal" : "another", "\n";
	foreach (["shm:", $argv[1]] as $store) {
		foreach ([[$limit], [$limit->ban(90), Limit::slidingLog(5, 60)], [Limit::fixedWindow(3, 60), $limit]] as $i => $limits) {
			$limiter = new Limiter("toy $i", $limits, $store);
			foreach ([7, 7, "bob", 7, 7] as $id) {
				$result = $limiter->consume($id);
				echo $result->accepted ? $result->remaining : "no:" . round($result->retryAfter), " ";
			}
			$permit = $limiter->acquire("x");
			echo $permit->settle(2)?->remaining, $limiter->reset("x") ? " reset\n" : "\n";
		}
	}', '--', $redis->dsn()]);
same(0, $exit, $said);
echo $said;
done();
?>
--EXPECT--
toy:2/1m toy 2 equal
1 0 1 no:60 no:60 0 reset
1 0 1 no:90 no:90 0 reset
1 0 1 no:60 no:60 0 reset
1 0 1 no:60 no:60 0 reset
1 0 1 no:90 no:90 0 reset
1 0 1 no:60 no:60 0 reset
done
