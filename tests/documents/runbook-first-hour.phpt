--TEST--
Each command of the runbook's first hour has the output that the page shows, numbers of time and traffic aside
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

$commands = run_page('docs/runbook.md', 'The first hour');
ok(count($commands) >= 10, 'commands: ' . count($commands));
done();
?>
--EXPECT--
done
