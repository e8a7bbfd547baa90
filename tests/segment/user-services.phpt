--TEST--
Processes as cron, supervisor, systemd and sudo start them share their user's count: environment, groups, sandbox
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
needs_apart();
needs_users();
?>
--FILE--
<?php
require __DIR__ . '/user.inc';
run_apart(__FILE__);

const ME = 65534;
$as = fn (string ...$more): array => ['setpriv', '--reuid', (string) ME, '--regid', (string) ME, ...($more ?: ['--clear-groups'])];
$within = fn (string $before): array => ['sh', '-c', "$before && exec \"\$@\"", 'sh'];
/* A private /tmp, in which the module is all the same. */
$module = dirname(extension_file());
$tmp = "mount --bind $module /mnt && mount -t tmpfs -o mode=1777 tmpfs /tmp && mkdir -p $module && mount --bind /mnt $module && cd /";
/* A private /dev has the machine's /dev/shm. */
$dev = temp_folder(0755) . '/dev';
$devices = "mkdir -p $dev && mount -t tmpfs tmpfs $dev && mkdir $dev/shm && mount --bind /dev/shm $dev/shm && cp -a /dev/null /dev/zero /dev/urandom $dev && mount --rbind $dev /dev";
$ways = [
	'php-fpm, or a shell' => $as(),
	'cron' => ['env', '-i', 'SHELL=/bin/sh', 'PATH=/usr/bin:/bin', 'HOME=/', 'LOGNAME=nobody', 'setsid', '--wait', ...$as('--init-groups'), ...$within('cd / && umask 077')],
	'supervisor' => ['setsid', '--wait', ...$as('--groups', '1,2'), ...$within('umask 022')],
	'systemd' => $as('--clear-groups', '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'),
	'systemd: PrivateTmp, PrivateNetwork' => ['unshare', '--mount', '--net', ...$within($tmp), ...$as()],
	'systemd: PrivateDevices' => ['unshare', '--mount', ...$within($devices), ...$as()],
	'systemd: ProtectSystem=strict' => ['unshare', '--mount', ...$within('mount -o remount,bind,ro /'), ...$as()],
	'systemd: ProtectProc=invisible' => ['unshare', '--mount', ...$within('mount -t proc -o hidepid=invisible proc /proc'), ...$as()],
	'a pid name space' => ['unshare', '--pid', '--fork', '--mount-proc', ...$as()],
	'sudo' => ['env', 'SUDO_USER=root', 'TMPDIR=/nowhere', 'XDG_RUNTIME_DIR=/nowhere', ...$as()],
];
$code = 'echo (int) FrequencyLimit::doHandle("ways", 1, 3600, 3), " ", FrequencyLimit\Monitor::stats()["segment"], " ", count(FrequencyLimit\Monitor::stats()["warnings"]);';
$n = 0;
foreach ($ways as $what => $way) {
	same([0, (int) ($n++ < 3) . ' user 0'], run_command([...$way, ...php_command([], ['-r', $code])]), $what);
}
same([1, 1], [count(tickets()), count(segments())], 'one ticket, one segment');

/* Their places are told apart: each one's end frees its own, seen from another. */
$hold = '$l = new FrequencyLimit\Limiter("held", FrequencyLimit\Limit::concurrent(2, 3600)); $p = $l->acquire("u"); echo (int) $p->result->accepted, "\n"; fgets(STDIN);';
$held = [];
foreach (['a pid name space' => 1, 'systemd: PrivateDevices' => 1, 'cron' => 0] as $what => $accepted) {
	$process = proc_open([...$ways[$what], ...php_command([], ['-r', $hold])], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
	same("$accepted\n", fgets($pipes[1]), "a place for $what");
	$held[] = [$process, $pipes];
}
[$process, $pipes] = $held[0];
fclose($pipes[0]);
proc_close($process);
same([0, "1\n"], run_command([...$ways['supervisor'], ...php_command([], ['-r', $hold])]), 'its place is free');
done();
?>
--EXPECT--
done
