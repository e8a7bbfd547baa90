--TEST--
Includes and calls run down the rooms, without a circle, and each floor alone touches its memory, Zend or hiredis
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

$top = realpath(__DIR__ . '/../..');
$files = [];
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator("$top/src", FilesystemIterator::SKIP_DOTS)) as $file) {
	if (in_array($file->getExtension(), ['c', 'h'], true) && !str_ends_with($file->getPath(), '.libs')) {
		$files[substr($file->getPathname(), strlen($top) + 1)] = file_get_contents($file->getPathname());
	}
}
ok(count($files) > 100, count($files) . ' files');
$room = fn (string $path): string => preg_match('~^src/([a-z]+)/~', $path, $m) ? $m[1] : 'src';
$wrong = [];

/* Only src/shm touches shared memory. */
$private = ['segment.h', 'atomic128.h', 'table.h', 'worker.h', 'record.h', 'record_cache.h', 'store_internal.h'];
foreach ($files as $path => $code) {
	if ($room($path) !== 'shm') {
		foreach (['rl_shm.', 'rl_shm->', '&rl_shm;', '&rl_shm)', '&rl_shm,', 'pair_cas', 'rl_load('] as $word) {
			if (preg_match('~(?<![A-Za-z_])' . preg_quote($word, '~') . '~', $code)) {
				$wrong[] = "$path has $word";
			}
		}
	}
	if (in_array($room($path), ['guard', 'php', 'core', 'src'], true) && str_contains($code, '__atomic')) {
		$wrong[] = "$path has __atomic";
	}
}

/* A static function has a name of its own, so that a profile or a backtrace can be read. */
$owners = [];
foreach ($files as $path => $code) {
	if (str_ends_with($path, '.c')) {
		preg_match_all('~^static (?!inline)[A-Za-z_0-9 *]*?\**([a-z_0-9]+)\([^;{]*\)\s*\{~m', $code, $found);
		foreach (array_unique($found[1]) as $name) {
			$owners[$name][] = $path;
		}
	}
}
foreach ($owners as $name => $paths) {
	if (count($paths) > 1) {
		$wrong[] = "$name() is in " . implode(' and ', $paths);
	}
}
ok(count($owners) > 300, count($owners) . ' static functions');

/* What a file includes, and through what. */
$includes = [];
foreach ($files as $path => $code) {
	preg_match_all('~^#\s*include "([^"]+)"~m', $code, $found);
	foreach ($found[1] as $name) {
		$full = is_file(dirname("$top/$path") . "/$name") ? realpath(dirname("$top/$path") . "/$name") : realpath("$top/$name");
		if ($full !== false && str_starts_with($full, "$top/src/")) {
			$includes[$path][] = substr($full, strlen($top) + 1);
		}
	}
}

/* The rooms, from the ground up. A file includes and calls files of its own room and of those below. */
$rooms = ['core/limit', 'core/algorithm', 'core/decide', '', 'shm/segment', 'shm/process', 'shm/record', 'shm/table', 'shm/monitor', 'shm/store', 'shm/machine', 'redis/net', 'redis/dsn', 'redis/topology', 'redis', 'guard/multi_key',
	'guard', 'php/base', 'php/limit', 'php/result', 'php/request', 'php/observe', 'php/limiter', 'php/permit', 'php/attribute', 'php/monitor', 'php/module'];
$floor_of = fn (string $path): int => match ($path) {
	'src/compiler.h' => -1, /* words for the compiler, for all */
	'ratelimit' => count($rooms),
	default => array_search(trim(substr(dirname($path), 3), '/'), $rooms, true),
};
foreach ($files as $path => $code) {
	if ($floor_of($path) === false) {
		$wrong[] = "$path is in no room";
	}
}
/** @param array<string, list<string>> $arrows */
$upwards = function (array $arrows, string $verb) use ($floor_of): array {
	$found = [];
	foreach ($arrows as $path => $names) {
		foreach ($names as $name) {
			if ($floor_of($name) > $floor_of($path)) {
				$found[] = "$path $verb $name, which is above it";
			}
		}
	}
	return $found;
};
array_push($wrong, ...$upwards($includes, 'includes'));
foreach ($includes as $path => $names) {
	foreach ($names as $name) {
		if ($room($path) === 'redis' && in_array($room($name), ['shm', 'guard', 'php'], true)) {
			$wrong[] = "$path includes $name: the Redis store stands beside the embedded one";
		}
		if ($room($path) !== 'shm' && $room($name) === 'shm' && in_array(basename($name), $private, true)) {
			$wrong[] = "$path includes $name, which is private to src/shm";
		}
	}
}

/**
 * Which file needs the symbols of which others, by their object files: calls, and variables.
 * @param list<string> $objects
 * @return array<string, list<string>>
 */
function calls(string $top, array $objects): array
{
	$defined = $needed = $calls = [];
	exec('nm -A ' . implode(' ', array_map('escapeshellarg', $objects)), $lines, $exit);
	same(0, $exit, 'nm');
	foreach ($lines as $line) {
		if (preg_match('~^(.+)\.o:\S* +([A-Z]) (\w+)$~', $line, $found) && $found[3] !== '_tsrm_ls_cache') {
			$file = preg_replace('~\.libs/(?=[^/]+$)~', '', substr($found[1], strlen($top) + 1));
			if ($found[2] === 'U') {
				$needed[$file][] = $found[3];
			} else {
				$defined[$found[3]] = $file;
			}
		}
	}
	foreach ($needed as $file => $symbols) {
		$calls[$file] = array_values(array_unique(array_diff(array_intersect_key($defined, array_flip($symbols)), [$file])));
	}
	return $calls;
}

/**
 * The circles, each as the sorted names of its files: those that reach each other.
 * @param array<string, list<string>> $arrows
 * @return list<string>
 */
function circles(array $arrows): array
{
	$index = $low = $open = $stack = $circles = [];
	$visit = function (string $file) use (&$visit, &$index, &$low, &$open, &$stack, &$circles, $arrows): void {
		$index[$file] = $low[$file] = count($index);
		$stack[] = $file;
		$open[$file] = true;
		foreach ($arrows[$file] ?? [] as $other) {
			if (!isset($index[$other])) {
				$visit($other);
				$low[$file] = min($low[$file], $low[$other]);
			} elseif (isset($open[$other])) {
				$low[$file] = min($low[$file], $index[$other]);
			}
		}
		if ($low[$file] === $index[$file]) {
			$circle = [];
			do {
				$circle[] = $last = array_pop($stack);
				unset($open[$last]);
			} while ($last !== $file);
			if (count($circle) > 1) {
				sort($circle);
				$circles[] = implode(', ', $circle);
			}
		}
	};
	foreach (array_keys($arrows) as $file) {
		if (!isset($index[$file])) {
			$visit($file);
		}
	}
	return $circles;
}

/* A folder in which the extension was built has the object files. Those of sources that are gone do not count. */
if (is_file("$top/Makefile")) {
	$objects = [];
	foreach (['ratelimit.c' => '', ...$files] as $path => $code) {
		$object = "$top/" . dirname($path) . '/.libs/' . basename($path, '.c') . '.o';
		if (str_ends_with($path, '.c') && is_file($object)) {
			$objects[] = str_replace('/./', '/', $object);
		}
	}
	ok(count($objects) > 100, count($objects) . ' object files');
	$calls = calls($top, $objects);
	array_push($wrong, ...$upwards($calls, 'calls'));
	foreach (circles($calls) as $circle) {
		$wrong[] = "$circle call each other in a circle";
	}

	/* The check finds both, if they are there: two files of two rooms that call each other are planted in a folder of their own. */
	$planted = temp_folder();
	foreach (['shm/table' => ['low', 'high'], 'shm/store' => ['high', 'low']] as $folder => [$own, $other]) {
		mkdir("$planted/src/$folder", 0700, true);
		file_put_contents("$planted/src/$folder/$own.c", "int $other(void);\nint $own(void) { return $other(); }\n");
		[$exit, $said] = run_command(['cc', '-c', "$planted/src/$folder/$own.c", '-o', "$planted/src/$folder/$own.o"]);
		same(0, $exit, $said);
	}
	$calls = calls($planted, glob("$planted/src/*/*/*.o"));
	same(['src/shm/store/high, src/shm/table/low'], circles($calls), 'a planted circle');
	same(['src/shm/table/low calls src/shm/store/high, which is above it'], $upwards($calls, 'calls'), 'a planted call that runs up');
}

/* The segment's atomics reach the guard not at all, and of src/php the file with doHandle()'s inline path alone. */
$reach = function (string $path) use (&$reach, $includes, &$seen): void {
	foreach ($includes[$path] ?? [] as $name) {
		if (!isset($seen[$name])) {
			$seen[$name] = true;
			$reach($name);
		}
	}
};
foreach (array_keys($files) as $path) {
	$seen = [];
	$reach($path);
	/* php_ratelimit.h stands beside src. */
	if (preg_match('~"php_ratelimit.h"~', $files[$path])) {
		preg_match_all('~^#\s*include "(src/[^"]+)"~m', file_get_contents("$top/php_ratelimit.h"), $found);
		foreach ($found[1] as $name) {
			$seen[$name] = true;
			$reach($name);
		}
	}
	if (isset($seen['src/shm/segment/atomic128.h']) && $room($path) !== 'shm' && $path !== 'src/php/module/frequency_limit.c') {
		$wrong[] = "$path reaches src/shm/segment/atomic128.h";
	}
	if (isset($seen[$path])) {
		$wrong[] = "$path is in a circle of includes";
	}
}

/* Zend and PHP in src/php alone, hiredis in src/redis alone. */
foreach ($files as $path => $code) {
	preg_match_all('~^#\s*include [<"]([^>"]+)[>"]~m', $code, $found);
	foreach ($found[1] as $name) {
		if (preg_match('~^(php|zend|SAPI|Zend/|main/|ext/)~i', $name) && $room($path) !== 'php') {
			$wrong[] = "$path includes $name";
		}
		if (preg_match('~hiredis~', $name) && $room($path) !== 'redis') {
			$wrong[] = "$path includes $name";
		}
	}
}

/* In a debugger, an editor and a profile a file is its base name. */
foreach (array_count_values(array_map('basename', array_keys($files))) as $name => $times) {
	if ($times > 1) {
		$wrong[] = "$name is the name of $times files";
	}
}
same([], $wrong, 'walls');
done();
?>
--EXPECT--
done
