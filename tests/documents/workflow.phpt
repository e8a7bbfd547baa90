--TEST--
The CI workflow runs every row of scripts/matrix.sh, with actions that are pinned by their commit
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

preg_match('/^\[ \$# -gt 0 \] \|\| rows=\((.*)\)$/m', readme('scripts/matrix.sh'), $found);
$rows = explode(' ', $found[1] ?? '');
ok(count($rows) > 6, 'the rows of scripts/matrix.sh');

$workflow = readme('.github/workflows/ci.yml');
preg_match_all('/^ +- \{row: ([a-z]+-[a-z]+), suite: ([a-z]+), cc: ([a-z]+)\}$/m', $workflow, $found, PREG_SET_ORDER);
foreach ($found as [, $row, $suite, $compiler]) {
	same($row, "$suite-$compiler", 'the name of a row');
}
preg_match('/^ +row: \[(.*)\]$/m', $workflow, $others);
same($rows, [...array_column($found, 1), ...explode(', ', $others[1] ?? '')], 'the rows of .github/workflows/ci.yml');

$uses = 0;
foreach (glob(ROOT . '/.github/workflows/*.yml') as $file) {
	preg_match_all('/^ +(?:- )?uses: (.*)$/m', file_get_contents($file), $found);
	foreach ($found[1] as $action) {
		ok(preg_match('~^[a-z-]+/[a-z-]+@[0-9a-f]{40} # v[0-9.]+$~', $action) === 1, basename($file) . ": $action");
		$uses++;
	}
	preg_match_all('~\b(scripts/[a-z-]+\.sh)~', file_get_contents($file), $found);
	foreach ($found[1] as $script) {
		ok(is_executable(ROOT . "/$script"), basename($file) . ": $script");
	}
}
ok($uses > 3, 'the actions');
done();
?>
--EXPECT--
done
