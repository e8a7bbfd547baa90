--TEST--
The rules and the dashboard of examples/monitoring/ use metrics that exist; promtool accepts their expressions
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/metrics.inc';
needs_program('promtool');
?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';
use FrequencyLimit\{Limit, Limiter};

ini_set('error_log', '/dev/null'); // a server that is away is news

$folder = __DIR__ . '/../../examples/monitoring';
[$exit, $said] = run_command(['promtool', 'check', 'rules', "$folder/rules.yml"]);
same(0, $exit, "the rules: $said");
$limiter = new Limiter('api', Limit::fixedWindow(1, 60));
$limiter->consumeMany([1, 1]);
ini_set('ratelimit.store', 'redis://127.0.0.1:1');
FrequencyLimit::doHandle('x', 1, 60, 1);
preg_match_all('/^(ratelimit_\w+)(?:\{(.*)\})? /m', FrequencyLimit\Monitor::metrics(), $found);
$metrics = array_unique($found[1]);
$rules = file_get_contents("$folder/rules.yml");
$dashboard = json_decode(file_get_contents("$folder/dashboard.json"), true);
ok(count($dashboard['panels']) >= 8, 'the panels');
$expressions = array_merge(...array_map(fn (array $panel): array => array_column($panel['targets'], 'expr'), $dashboard['panels']));
$documented = file_get_contents(__DIR__ . '/../../docs/operations.md');
foreach ([$rules, implode("\n", $expressions), $dashboard['templating']['list'][1]['query']] as $text) {
	/* The name of a state set is its label, too. */
	preg_match_all('/\bratelimit_\w+/', preg_replace('/"[^"]*"|summary:.*/', '', $text), $used);
	foreach (array_unique($used[0]) as $name) {
		ok(in_array($name, $metrics, true), "$name is a metric");
	}
}
foreach (['instance', 'server', 'name', 'kind', 'limit', 'store', 'le'] as $label) {
	ok($label === 'instance' || preg_match("/[{,]$label=\"/", implode('', $found[0])) === 1, "$label is a label");
}
/* Each metric stands in the documentation, by its name or as a part of a series. */
foreach ($metrics as $name) {
	$part = preg_replace('/^ratelimit_(?:limiter|limit)(_\w+_)total$/', '$1', $name);
	$base = preg_replace('/_(?:bucket|count|sum|info)$/', '', $name);
	ok(str_contains($documented, "`$base`") || str_contains($documented, "`$part`") || $base === 'ratelimit_build', "$name is documented");
}
/* Prometheus parses each expression of the dashboard, too. */
$as_rules = temp_folder() . '/dashboard.yml';
file_put_contents($as_rules, "groups:\n  - name: dashboard\n    rules:\n" . implode('', array_map(
	fn (int $i, string $expression): string => "      - record: panel:number_$i\n        expr: " . json_encode($expression, JSON_UNESCAPED_SLASHES) . "\n", array_keys($expressions), $expressions)));
[$exit, $said] = run_command(['promtool', 'check', 'rules', $as_rules]);
same(0, $exit, "the dashboard: $said");
done();
?>
--EXPECT--
done
