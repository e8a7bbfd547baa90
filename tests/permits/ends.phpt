--TEST--
Each end of a request frees its permits: return, exit, fatal error, timeout, exception, cycle, generator, fiber
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/web.inc';

/* One worker serves all requests, so that no place comes free by a worker's death. */
$server = new WebServer([__DIR__ . '/page.inc'], ['display_errors' => '0', 'log_errors' => '0'], 0);
$visitor = $server->visitor();
$worker = $visitor->get('/')->body;
same('5', explode(' ', $worker)[1], 'all places are free at the begin');
foreach (['return', 'global', 'several', 'exit', 'fatal', 'memory', 'timeout', 'uncaught', 'cycle', 'collected', 'generator', 'generator exit',
	'fiber', 'fiber exit', 'static', 'destructor', 'shutdown', 'buffer', 'limiter gone', 'turn'] as $end) {
	$page = $visitor->get('/?end=' . urlencode($end));
	same(in_array($end, ['fatal', 'memory', 'timeout', 'uncaught'], true) ? 500 : 200, $page->status, "$end: the status ($page->body)");
	match ($end) {
		'collected' => same('free: 5', $page->body, 'the collector frees it at once'),
		'turn' => same('wait: yes', $page->body, 'it had to wait'),
		default => null,
	};
	same($worker, $visitor->get('/')->body, "$end: the same worker has all places again");
}
same('next: the second window', $visitor->get('/?end=line')->body, 'a turn that was not waited out is cancelled');
same([], $server->complaints(), 'nothing is logged');
done();
?>
--EXPECT--
done
