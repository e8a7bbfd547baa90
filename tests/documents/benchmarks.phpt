--TEST--
The figures and plots of both READMEs and docs/benchmarks.md match docs/benchmarks.json
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
if (!is_file(__DIR__ . '/../../docs/benchmarks.json')) {
	die('skip scripts/bench.sh has not measured everything yet');
}
?>
--FILE--
<?php
require __DIR__ . '/readme.inc';
foreach (['Rounds', 'Table', 'Results', 'Budgets', 'Svg', 'Report'] as $part) {
	require ROOT . "/bench/lib/$part.php";
}
$documents = (new Report(Results::from(ROOT . '/docs/benchmarks.json')))->documents(ROOT);
same(6, count($documents), 'three texts and three plots');
foreach ($documents as $file => $text) {
	if ($text !== readme($file)) {
		failed("$file: scripts/bench.sh would write something else from docs/benchmarks.json");
	}
}
foreach (glob(ROOT . '/docs/benchmarks-*.svg') as $plot) {
	ok(isset($documents['docs/' . basename($plot)]), basename($plot) . ' is one of them');
	ok(str_contains(readme('docs/benchmarks.md'), '](' . basename($plot) . ')'), basename($plot) . ' is shown');
}
done();
?>
--EXPECT--
done
