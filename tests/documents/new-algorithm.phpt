--TEST--
An algorithm added as the page describes compiles, decides on both stores, prints, counts, shows on page and command
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
require_once __DIR__ . '/../include/tools.inc';
needs_redis();
skip_slow();
needs_build();
?>
--FILE--
<?php
/* The toy is a copy of the fixed window under another number and word: docs/adding-an-algorithm.md, part 1. */
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
require __DIR__ . '/../include/redis.inc';
require_once __DIR__ . '/../include/tools.inc';

const ROOT = __DIR__ . '/../..';
const LIMITER = 'src/redis/lua/limiter';
const POLYFILL = 'packages/polyfill/src';
$folder = temp_folder();
$planted = ['ratelimit.stub.php', 'ratelimit_arginfo.h'];
exec('tar -C ' . escapeshellarg(ROOT) . ' -c --exclude=*.o --exclude=*.lo --exclude=*.dep --exclude=.libs config.m4 Makefile.frag php_ratelimit.h ratelimit.c'
	. " ratelimit.stub.php ratelimit_arginfo.h bin ratelimit.php scripts src packages/polyfill | tar -C $folder -x");

/** Writes a copy of a file with replacements of what matches patterns, each of which must match. */
function plant(string $file, string $from, array $replacements): void
{
	global $folder, $planted;
	$text = file_get_contents("$folder/$from");
	foreach ($replacements as $pattern => $replacement) {
		$text = preg_replace($pattern, $replacement, $text, -1, $n);
		ok($n > 0, "$from has $pattern");
	}
	file_put_contents("$folder/$file", $text);
	$planted[] = $file;
}

plant('src/core/limit/limit.h', 'src/core/limit/limit.h',
	['/^ *ROW\(6, .*\)$/m' => '$0 \\' . "\n" . ' ROW(7, RL_TOY_WINDOW, toy_window, "toy", PERIOD, toyWindow, RL_LIMIT_MAX)']);
plant('src/core/algorithm/toy_window.c', 'src/core/algorithm/fixed_window.c', ['/RL_FIXED_WINDOW/' => 'RL_TOY_WINDOW', '/rl_fixed_window_ops/' => 'rl_toy_window_ops']);
plant(LIMITER . '/26_toy_window.lua', LIMITER . '/20_fixed_window.lua', ['/needed >= 64\b/' => 'needed >= 1', '/needed - 64\b/' => 'needed - 1', '/\bfixed_window\b/' => 'toy_window']);
plant(LIMITER . '/30_usual.lua', LIMITER . '/30_usual.lua',
	['/^\t\telseif algorithm == 3 then$/m' => "\t\telseif algorithm == 7 then\n\t\t\tstep = toy_window\n$0"]);
plant(LIMITER . '/35_state.lua', LIMITER . '/35_state.lua', ['/\{21, 11, 19, 18, 26, 15\}, \{0, 12, 7, 6, 0, 15\}/' => '{21, 11, 19, 18, 26, 15, 21}, {0, 12, 7, 6, 0, 15, 0}']);
plant(LIMITER . '/46_toy_window.lua', LIMITER . '/40_fixed_window.lua', ['/algorithms\[1\]/' => 'algorithms[7]', '/\bfixed_window\(/' => 'toy_window(', '/\bbegun_end\b/' => 'toy_end']);
plant(POLYFILL . '/Polyfill/Core/Algorithm.php', POLYFILL . '/Polyfill/Core/Algorithm.php', [
	'/^    public const CONCURRENT = 6;$/m' => "$0\n    public const TOY_WINDOW = 7;",
	"/^        self::CONCURRENT => .*\n/m" => "$0        self::TOY_WINDOW => ['word' => 'toy', 'factory' => 'toyWindow', 'max' => Bounds::LIMIT_MAX, 'state' => ToyWindow::class],\n"]);
plant(POLYFILL . '/Polyfill/Core/ToyWindow.php', POLYFILL . '/Polyfill/Core/FixedWindow.php', ['/\bFixedWindow\b/' => 'ToyWindow', '/FIXED_WINDOW/' => 'TOY_WINDOW']);
plant(POLYFILL . '/Limit.php', POLYFILL . '/Limit.php', ['/^    public static function slidingWindow\(.*\n    \{\n.*\n    \}\n/m' =>
	"$0\n    public static function toyWindow(int \$limit, int|float \$seconds): Limit\n    {\n        return self::windowed(Algorithm::TOY_WINDOW, \$limit, \$seconds);\n    }\n"]);
/* scripts/stub.sh would make these lines of a new method of the stub. */
file_put_contents("$folder/ratelimit_arginfo.h", implode(array_map(
	fn (string $line): string => $line . (str_contains($line, 'Limit_slidingWindow') || str_contains($line, 'Limit, slidingWindow') ? str_replace('slidingWindow', 'toyWindow', $line) : ''),
	file("$folder/ratelimit_arginfo.h"))));

/* These are the files of the page's part 1. */
preg_match('/^## 1\. .*?(?=^### Only with)/ms', file_get_contents(ROOT . '/docs/adding-an-algorithm.md'), $part);
preg_match_all('/^\| `(\S+)` \|/m', str_replace(['leaky_bucket', 'LeakyBucket'], ['toy_window', 'ToyWindow'], $part[0] ?? ''), $listed);
sort($listed[1]);
sort($planted);
same($listed[1], $planted, 'the files of the page, and those that are changed');
ok(count($planted) <= 12, count($planted) . ' files');

build_in($folder);

/** Runs code in a PHP with the toy, and returns what it prints. */
$run = function (string $code, array $arguments = [], array $ini = []) use ($folder): string {
	file_put_contents("$folder/code.php", "<?php $code");
	[$exit, $said] = run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$folder/modules/ratelimit.so", '-d', 'ratelimit.testing=1',
		'-d', 'ratelimit.shm_path=private', ...ini_options($ini), ...($code === '' ? [] : ["$folder/code.php"]), ...$arguments]);
	return ($exit > 1 ? "ended with $exit: " : '') . $said;
};
$redis = new RedisServer();

/* It decides, alone and beside others, and its text is its own. */
echo $run(<<<'CODE'
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
	}
	CODE, [$redis->dsn()]);

/* Each other call knows it, on both stores. */
echo $run(<<<'CODE'
	use FrequencyLimit\{Clock, Limit, Limiter, Monitor};
	foreach (["shm:", $argv[1]] as $n => $store) {
		$limiter = new Limiter("calls $n", ["a" => Limit::toyWindow(3, 60)->shadow(), "b" => Limit::parse("toy:2/60s,ban=90s,name=b")], $store);
		$labels = new Limiter("labels $n", ["tenant" => Limit::toyWindow(9, 60)->by("tenant"), "user" => Limit::toyWindow(1, 60)->by("user")], $store);
		$facts = fn ($r) => implode(":", [$r->reason->value, $r->limit, $r->remaining, $r->name]);
		echo implode(" ", [$facts($limiter->peek("x")), $facts($limiter->consume("x", 2)), $limiter->credit("x", 1) ?? "credited", $limiter->allow("x") ? "allowed" : "refused",
			$facts($limiter->consume("x")), $limiter->unban("x") ? "unbanned" : "no ban", $facts($labels->consume(["tenant" => 1, "user" => 2])),
			$facts($labels->consume(["tenant" => 1, "user" => 2])), count($limiter->consumeMany(["p", "q"]))]), "\n";
		$row = array_values(array_filter(Monitor::limiters(), fn ($row) => $row["name"] === "calls $n"))[0];
		echo "counted: $row[decisions] $row[refused] ", implode(",", array_column($row["limits"], "name")), "; ", in_array("calls $n", array_column(Monitor::top(), "name"), true) ? "top" : "not at the top", "; ",
			str_contains(Monitor::metrics(), "\"calls $n\"") ? "metrics" : "no metrics", "; ", count($limiter->consume("z")->headers()), " headers\n";
	}
	eval("\$copy = " . var_export(Limit::toyWindow(5, 30), true) . ";");
	echo $copy == unserialize(serialize($copy)) && $copy == Limit::toyWindow(5, 30) ? "exported" : "changed", "\n";
	CODE, [$redis->dsn()], ['ratelimit.top' => 1]);

/* So does the polyfill, in a PHP without the extension. */
file_put_contents("$folder/code.php", "<?php spl_autoload_register(fn (\$class) => require '$folder/" . POLYFILL . "/' . strtr(substr(\$class, 15), '\\\\', '/') . '.php');" . <<<'CODE'
	use FrequencyLimit\{Limit, Limiter};
	$limit = Limit::toyWindow(2, 60);
	echo "polyfill: $limit $limit->algorithm ", Limit::parse("toy:2/60s") == $limit ? "equal" : "another";
	$limiter = new Limiter("toy", [$limit->ban(90), Limit::slidingLog(5, 60)]);
	foreach ([7, 7, "bob", 7, 7] as $id) {
		$result = $limiter->consume($id);
		echo " ", $result->accepted ? $result->remaining : "no:" . round($result->retryAfter);
	}
	echo $limiter->reset(7) ? " reset\n" : "\n";
	CODE);
echo run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', 'display_errors=0', '-d', 'log_errors=0', "$folder/code.php"])[1];

/* The page's code, and the command. */
echo $run(<<<'CODE'
	require "$argv[1]/ratelimit.php";
	$counter = FrequencyLimit\Page\Counter::of("shown", "bob", ["toy:2/1m"]);
	echo "page: ", $counter->peek()->reason->value, " ", $counter->peek()->remaining, "\n";
	CODE, [$folder]);
$command = fn (string ...$words): string => $run('', ["$folder/bin/ratelimit", ...$words, '--store=' . $redis->dsn()]);
echo 'command: ', str_contains($command('peek', 'shown', 'bob', '--limit=toy:2/1m'), '2') ? 'shows it' : $command('peek', 'shown', 'bob', '--limit=toy:2/1m'), "\n";
echo 'command: ', trim($command('ban', 'shown', 'bob', '--limit=toy:2/1m', '--for=1h')), "\n";
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
accepted:2:1:b accepted:2:0:b credited allowed banned:2:0:b unbanned accepted:1:0:user limited:1:0:user 2
counted: 5 1 b; top; metrics; 2 headers
accepted:2:1:b accepted:2:0:b credited allowed banned:2:0:b unbanned accepted:1:0:user limited:1:0:user 2
counted: 5 1 b; top; metrics; 2 headers
exported
polyfill: toy:2/1m toy equal 1 0 1 no:90 no:90 reset
page: accepted 1
command: shows it
command: shown, bob: banned for 1h
done
