--TEST--
On a read-only root, with a read-only /dev/shm and /tmp, the embedded store works; a shm_path there is a warning
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
exec('unshare --mount --map-root-user true 2>&1', $lines, $exit);
if (ini_get('opcache.enable_cli')) {
	die('skip opcache itself needs a writable folder for its lock');
}
if ($exit !== 0) {
	die('skip no mount namespace: ' . implode(' ', $lines));
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/tools.inc';

$code = 'echo json_encode([FrequencyLimit::doHandle("a", 1, 60, 1), FrequencyLimit::doHandle("a", 1, 60, 1)]);';
$show = ['display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0'];
/* Every file system that this process may see is read-only; /proc and /dev/null stay as a container has them. */
$script = 'mount --make-rprivate / && for at in / /tmp /dev/shm /run; do mount --rbind $at $at 2>/dev/null; mount -o remount,ro,bind $at || mount -t tmpfs -o ro none $at || exit 9; done
	touch /tmp/written 2>/dev/null && exit 8; exec "$@"';
$sealed = fn (array $ini) => run_command(['unshare', ...(is_root() ? [] : ['--map-root-user']), '--mount', 'sh', '-c', $script, 'sh', ...php_command($ini + $show, ['-r', $code])]);

same([0, '[true,false]'], $sealed([]), 'memory');
[$exit, $said] = $sealed(['ratelimit.shm_path' => '/tmp/rl-segment']);
same(0, $exit, "a file: $said");
ok((bool) preg_match('~Warning: .*/tmp/rl-segment: (Read-only file system|Permission denied)~', $said), "the reason: $said");
ok(str_ends_with($said, '[true,false]'), "on_failure=local keeps the counts in memory: $said");
done();
?>
--EXPECT--
done
