--TEST--
Each command of the runbook's flood has the output of the page; the incident takes seconds
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../segment/user.inc';
needs_apart();
?>
--FILE--
<?php
require __DIR__ . '/commands.inc';
run_apart(__FILE__);

$commands = run_page('docs/runbook.md', 'A flood');
ok(count($commands) >= 15, 'commands: ' . count($commands));
if (getenv('SHOW_CLOCK')) {
	foreach ($commands as $command => $seconds) {
		fprintf(STDERR, "%5.1f s  %s\n", $seconds, $command);
	}
}
done();
?>
--EXPECT--
done
