--TEST--
Without a ticket of its own a process keeps its counts, and stats(), check and phpinfo() have the reason
--EXTENSIONS--
ratelimit
posix
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
needs_apart();
needs_users();
needs_readable_checkout();
?>
--FILE--
<?php
require __DIR__ . '/user.inc';
run_apart(__FILE__);

const ME = 65534;
$quiet = ['log_errors' => '0'];
$code = CALLS . 'echo " ", count($w = FrequencyLimit\Monitor::stats()["warnings"]), " ", $w[0] ?? "";';

/** Checks that a process of the user keeps its counts for itself, and says so with this reason. */
function stays(string $what, string $reason, array $within = []): void
{
	global $code, $quiet;
	for ($i = 0; $i < 2; $i++) {
		[$exit, $said] = run_command([...$within, 'setpriv', '--reuid', (string) ME, '--clear-groups', ...php_command($quiet, ['-r', $code])]);
		same([0, true], [$exit, str_starts_with($said, "4 memory 1 the memory of this user's PHP processes cannot be used: ")], "$what: $said");
		ok(str_contains($said, $reason), "$what, the reason: $said");
	}
}

same([0, '4 user 0 '], run_as(ME, $code), 'by default');
same([0, '0 user 0 '], run_as(ME, $code), 'by default, another process');
same([0, '4 user'], run_as(1, CALLS), 'another user has a count of its own');
same([0, '4 user'], run_php(CALLS), 'and so has root');
$name = tickets()[ME];
$number = file_get_contents($name);
unlink($name);

/* Another user was faster, or somebody has changed the mode. */
$make = [
	'a file of another user' => [fn () => file_put_contents($name, $number) && chown($name, 1) && chmod($name, 0600), 'it belongs to user 1, and this process is user 65534'],
	'one that all may read and write' => [fn () => file_put_contents($name, $number) && chown($name, 1) && chmod($name, 0666), 'it belongs to user 1'],
	'an own one of mode 0666' => [fn () => file_put_contents($name, $number) && chown($name, ME) && chmod($name, 0666), 'its mode must be 0600'],
	'a link to a file' => [fn () => symlink('/dev/shm/target', $name), 'it belongs to user 0'],
	'an own link' => [fn () => symlink('/dev/shm/target', $name) && lchown($name, ME), 'it is not a regular file'],
	'a pipe' => [fn () => exec("mkfifo -m 600 $name") === '' && chown($name, ME), 'it is not a regular file'],
	'a folder' => [fn () => mkdir($name, 0700) && chown($name, ME), 'it is not a regular file'],
];
file_put_contents('/dev/shm/target', 'before');
foreach ($make as $what => [$do, $reason]) {
	ok($do(), "$what is made");
	stays($what, $reason);
	same('before', file_get_contents('/dev/shm/target'), "$what: nothing is followed");
	exec('rm -rf ' . escapeshellarg($name));
}

/* An own one without a number in it, or with the number of other memory, is made again: the segment is found without it. */
exec('ipcmk -M 33554432', $lines);
$foreign = (int) preg_replace('/\D+/', '', end($lines));
foreach (['', 'x', "99999999\n", "-1\n", "$foreign\n", str_repeat("1", 100)] as $text) {
	@unlink($name); // fs.protected_regular, which most distributions set, lets root open no file of another user there
	file_put_contents($name, $text);
	chown($name, ME);
	chmod($name, 0600);
	same([0, '0 user 0 '], run_as(ME, $code), 'a ticket with ' . json_encode($text));
	same($number, substr(file_get_contents($name), 0, strlen($number)), 'is made again');
}

/* The folder. */
$within = fn (string $command) => ['unshare', '--mount', 'sh', '-c', "$command && exec \"\$@\"", 'sh'];
$read_only = 'mount --bind /dev/shm /dev/shm && mount -o remount,bind,ro /dev/shm';
stays('a read-only /dev/shm with the ticket', 'Read-only file system', $within($read_only));
unlink($name);
foreach ([$read_only => 'Read-only file system', 'mount -t tmpfs -o mode=0777 tmpfs /dev/shm' => 'other users may replace files in it',
	'mount -t tmpfs -o mode=0755 tmpfs /dev/shm' => 'Permission denied', 'mount -t tmpfs -o mode=1777,nr_inodes=1 tmpfs /dev/shm' => 'No space left',
	'mount -t tmpfs tmpfs /proc' => 'without /proc', 'mount -t tmpfs tmpfs /dev' => 'No such file or directory'] as $command => $reason) {
	stays($command, $reason, $within($command));
}
/* Too large for this process alone: the ticket of all others stays. */
foreach (array_keys(segments()) as $id) {
	exec("ipcrm -m $id");
}
same([0, '4 user'], run_as(ME, CALLS, ['ratelimit.shm_size' => '1G']), 'a large segment');
$number = file_get_contents($name);
stays('a limit of address space', 'shmat: ' . posix_strerror(12), ['sh', '-c', 'ulimit -v 900000 && exec "$@"', 'sh']);
same($number, file_get_contents($name), 'a limit of address space: the ticket');
same([0, '0 user'], run_as(ME, CALLS), 'the others count on');
/* No memory of this kind. */
stays('a limit on System V memory', 'shmget: ', ['unshare', '--ipc', 'sh', '-c', 'echo 0 > /proc/sys/kernel/shmmni && exec "$@"', 'sh']);

/* The warning is logged once, and all who show warnings show it. */
[, $said] = run_command([...$within('mount -t tmpfs -o mode=0755 tmpfs /dev/shm'), 'setpriv', '--reuid', (string) ME, '--clear-groups', ...php_command(['log_errors' => '1', 'error_log' => ''],
	['-r', 'FrequencyLimit::doHandle("a", 1, 60, 1); FrequencyLimit::doHandle("a", 1, 60, 1); set_error_handler(fn () => throw new Exception());'])]);
same(1, substr_count($said, 'cannot be used'), "the log: $said");
[$exit, $said] = run_command([...$within('mount -t tmpfs -o mode=0755 tmpfs /dev/shm'), 'setpriv', '--reuid', (string) ME, '--clear-groups', ...php_command(['log_errors' => '0', 'html_errors' => '0'],
	['-r', 'phpinfo(INFO_MODULES);'])]);
ok(str_contains($said, "Warning => the memory of this user's"), 'phpinfo()');
chmod($folder = temp_folder(), 0755);
foreach (['bin/ratelimit', 'ratelimit.php'] as $file) {
	copy(__DIR__ . "/../../$file", "$folder/" . basename($file));
}
[$exit, $said] = run_command([...$within('mount -t tmpfs -o mode=0755 tmpfs /dev/shm'), 'setpriv', '--reuid', (string) ME, '--clear-groups', ...php_command(['log_errors' => '0'], ["$folder/ratelimit", 'check'])]);
same([1, true], [$exit, str_contains($said, "ratelimit: warning: the memory of this user's")], "check: $said");
done();
?>
--EXPECT--
done
