--TEST--
Only src/shm touches shared memory, only src/php Zend, only src/redis hiredis, and includes run down only
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';

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
$below = ['php' => ['php', 'guard', 'shm', 'redis', 'core', 'src'], 'guard' => ['guard', 'shm', 'core', 'src'], 'shm' => ['shm', 'core', 'src'],
	'redis' => ['redis', 'core', 'src'], 'core' => ['core', 'src'], 'src' => ['core', 'src']];
foreach ($includes as $path => $names) {
	foreach ($names as $name) {
		if (!in_array($room($name), $below[$room($path)], true)) {
			$wrong[] = "$path includes $name, which is not below it";
		}
		if ($room($path) !== 'shm' && $room($name) === 'shm' && in_array(basename($name), $private, true)) {
			$wrong[] = "$path includes $name, which is private to src/shm";
		}
	}
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
