--TEST--
The API, settings, texts, headers, metrics, command and formats of docs/promised.txt are kept
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

const ROOT = __DIR__ . '/../..';

/** A method may get further parameters that have a default. */
function is_kept(string $promised, array $lines): bool
{
	[$head, $parameters, $type] = preg_match('/^(.*?)\((.*)\)(.*)$/', $promised, $found) ? array_slice($found, 1) : [$promised, '', ''];
	foreach ($lines as $line) {
		if ($line === $promised) {
			return true;
		}
		if (preg_match('/^(.*?)\((.*)\)(.*)$/', $line, $found) && [$found[1], $found[3]] === [$head, $type] && str_starts_with($found[2], $parameters)) {
			$added = array_filter(explode(', ', substr($found[2], strlen($parameters))), fn (string $parameter): bool => $parameter !== '');
			return $added === array_filter($added, fn (string $parameter): bool => str_contains($parameter, ' = '));
		}
	}
	return false;
}

$lines = ['A::f(int $a, int $b = 1, ?int $c = null): bool', 'setting x = "1"'];
same([true, true, false, false, false, true, false], array_map(fn (string $promised): bool => is_kept($promised, $lines),
	['A::f(int $a): bool', 'A::f(int $a, int $b = 1): bool', 'A::f(): bool', 'A::f(int $a): int', 'A::g(int $a): bool', 'setting x = "1"', 'setting x = "2"']), 'what a change is');

[$exit, $output] = run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', ROOT . '/scripts/promised.php', extension_file()]);
same(0, $exit, $output);
$now = explode("\n", trim($output));
$promised = file(ROOT . '/docs/promised.txt', FILE_IGNORE_NEW_LINES);
ok(count($promised) > 250, 'the list');
same([], array_values(array_filter($promised, fn (string $line): bool => !is_kept($line, $now))),
	'promised, and gone or changed; where that is meant: php -n scripts/promised.php MODULE >docs/promised.txt, and a line in CHANGELOG.md');
done();
?>
--EXPECT--
done
