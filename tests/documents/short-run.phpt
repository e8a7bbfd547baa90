--TEST--
The short run leaves out at most 20 tests, listed with reasons in tests/README.md; its breaks can be planted
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

/* What a --SKIPIF-- asks for and the short run does not have: time, and programs that "install-deps.sh brief" does not install. */
const LEFT_OUT = '/SKIP_SLOW_TESTS|skip_slow\(|needs_browser\(|needs_program\(|needs_callgrind\(|needs_parser\(|STRUCTURED_FIELDS|compiler for aarch64/';

/** @return string[] the tests that the short run leaves out, as folder/name */
function left_out(): array
{
	$tests = [];
	foreach (glob(ROOT . '/tests/*/*.phpt') as $file) {
		if (preg_match('/^--SKIPIF--$(.*?)^--/ms', file_get_contents($file), $found) && preg_match(LEFT_OUT, $found[1])) {
			$tests[] = basename(dirname($file)) . '/' . basename($file, '.phpt');
		}
	}
	return $tests;
}

preg_match('/^## What the short run leaves out$(.*?)^## /ms', readme('tests/README.md'), $section);
preg_match_all('/^\| `(\S+)` \| (\S.*) \|$/m', $section[1] ?? '', $rows, PREG_SET_ORDER);
between(10, count($rows), 20, 'rows of the list');
$listed = array_column($rows, 1);
foreach ($listed as $test) {
	ok(is_dir(ROOT . "/$test") || is_file(ROOT . "/tests/$test.phpt"), "$test exists");
}
$tests = array_values(array_filter($listed, fn (string $test): bool => is_file(ROOT . "/tests/$test.phpt")));
sort($tests);
same(left_out(), $tests, 'the tests that the short run leaves out, and the list');

/* The breaks that the short run must find still have their place in the code. */
exec(ROOT . '/tests/tools/breaks.sh --check 2>&1', $lines, $exit);
ok($exit === 0, implode("\n", $lines));

/* Nothing else is left out: the short run takes the whole folder. */
ok(str_contains(readme('scripts/test.sh'), 'all | brief) scope=${1:-brief} tests=(tests) ;;'), 'scripts/test.sh takes all tests');
done();
?>
--EXPECT--
done
