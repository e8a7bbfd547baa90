--TEST--
A real Prometheus scrapes metrics() as OpenMetrics, and answers the alert rules of examples/monitoring/
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/metrics.inc';
needs_program('prometheus');
if (getenv('SKIP_SLOW_TESTS')) {
	die('skip starts a Prometheus');
}
?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';
require __DIR__ . '/../include/web.inc';

$folder = temp_folder();
file_put_contents("$folder/metrics.php", <<<'PHP'
	<?php
	for ($i = 0; $i < 6; $i++) {
		FrequencyLimit::doHandle('li"ke', 7, 86400, 5);
	}
	header('Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8');
	echo FrequencyLimit\Monitor::metrics();
	PHP);
$web = new WebServer(['-t', $folder], workers: 1);
copy(__DIR__ . '/../../examples/monitoring/rules.yml', "$folder/rules.yml");
file_put_contents("$folder/prometheus.yml", "global: {scrape_interval: 1s, evaluation_interval: 1s, scrape_timeout: 1s}\nrule_files: [rules.yml]\n"
	. "scrape_configs:\n  - job_name: ratelimit\n    metrics_path: /metrics.php\n    static_configs: [{targets: ['$web->address']}]\n");
$socket = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($socket, false);
fclose($socket);
$prometheus = new Server(['prometheus', "--config.file=$folder/prometheus.yml", "--storage.tsdb.path=$folder/data", "--web.listen-address=$address"], "$folder/log");
$visitor = new Visitor("tcp://$address");
$ask = function (string $path) use ($visitor): array {
	try {
		return json_decode(@$visitor->get($path)->body, true)['data'] ?? [];
	} catch (Throwable) {
		return []; /* it has not started yet */
	}
};
$value = fn (string $query): ?string => $ask('/api/v1/query?query=' . rawurlencode($query))['result'][0]['value'][1] ?? null;
$scraped = eventually(fn (): bool => (int) $value('ratelimit_limiter_refusals_total{kind="action",name="li\"ke"}') > 0, 60.0);
ok($scraped, 'the refusals of a name: ' . ($ask('/api/v1/targets')['activeTargets'][0]['lastError'] ?? substr((string) @file_get_contents("$folder/log"), -1000)));
same(['1', '33554432'], [$value('up'), $value('ratelimit_segment_bytes')], 'the target, and a gauge');
same('counter', $ask('/api/v1/metadata?metric=ratelimit_limiter_refusals_total')['ratelimit_limiter_refusals_total'][0]['type']
	?? $ask('/api/v1/metadata')['ratelimit_limiter_refusals'][0]['type'] ?? null, 'the type');
$rules = $ask('/api/v1/rules')['groups'][0]['rules'] ?? [];
ok(eventually(fn (): bool => array_unique(array_column($ask('/api/v1/rules')['groups'][0]['rules'] ?? [], 'health')) === ['ok'], 30.0),
	'the rules: ' . json_encode(array_column($rules, 'lastError', 'name')));
done();
?>
--EXPECT--
done
