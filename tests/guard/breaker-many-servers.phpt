--TEST--
The breaker of a server that is no longer asked makes room: a dead server costs one attempt, after any number of others
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/simclock.inc';

/* The smallest segment has 8 places, and a process 16 more. A tenant with a DSN of its own each hour. */
$clock = new SimClock();
$php = new SimPhp($clock, ['ratelimit.shm_size' => '1M', 'ratelimit.on_failure' => 'local', 'error_log' => '/dev/null']);
$php('function failures(int $i): int {
	foreach (FrequencyLimit\Monitor::stats()["servers"] as $server) {
		if ($server["server"] === "unix:///nowhere/$i.sock") return $server["failures"];
	}
	return -1;
}
function ask(int $i): int {
	ini_set("ratelimit.store", "unix:///nowhere/$i.sock?retry_delay=60000");
	for ($n = 0; $n < 5; $n++) FrequencyLimit::check("tenant", 1, 60, 1000);
	return failures($i);
}');
$failures = [];
for ($i = 0; $i < 100; $i++) {
	$failures[] = $php("return ask($i);");
	$clock->advance(3_600_000_000);
}
same(array_fill(0, 100, 1), $failures, 'failures of each server, of five questions');
done();
?>
--EXPECT--
done
