--TEST--
Each command of docs/zh-CN/flood.md has the output of the page; the incident takes seconds
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

$commands = run_page('docs/zh-CN/flood.md');
ok(count($commands) >= 15, 'commands: ' . count($commands));
done();
?>
--EXPECT--
done
