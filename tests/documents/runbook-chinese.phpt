--TEST--
Each command of the Chinese runbook's flood has the output of the page
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

/* tests/documents/translations.phpt compares the first hour's commands with those of the English page. */
$commands = run_page('docs/zh-CN/runbook.md', '流量攻击');
ok(count($commands) >= 15, 'commands: ' . count($commands));
done();
?>
--EXPECT--
done
