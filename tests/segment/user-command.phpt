--TEST--
bin/ratelimit shows and changes the counts of its user, and refuses where no process of the user has decided yet
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
needs_apart();
?>
--FILE--
<?php
require __DIR__ . '/user.inc';
require __DIR__ . '/../command/command.inc';
run_apart(__FILE__);

foreach (['top', 'bans', 'stats', 'ban comment 7 --limit=3/600s --for=1h'] as $words) {
	[$exit, $out, $errors] = ratelimit(explode(' ', $words));
	same([3, '', true], [$exit, $out, str_contains($errors, 'no PHP process of this user') && str_contains($errors, 'sudo -u www-data')], "before the first decision: $words: $errors");
}
[$exit] = ratelimit(['stats', '--here']);
same(0, $exit, '--here');
same([0, "ok: store shm:, segment user\n", ''], ratelimit(['check']), 'check');
same([0, '1'], run_php('echo (int) FrequencyLimit::doHandle("comment", 7, 600, 3);'), 'an application');
[$exit, $out] = ratelimit(explode(' ', 'ban comment 7 --limit=3/600s --for=1h'));
same(0, $exit, "a ban: $out");
same([0, '0'], run_php('echo (int) FrequencyLimit::doHandle("comment", 7, 600, 3);'), 'which the application has');
[$exit, $out] = ratelimit(['stats', '--json']);
same([0, 'user'], [$exit, json_decode($out, true)['segment']], 'stats');
done();
?>
--EXPECT--
done
