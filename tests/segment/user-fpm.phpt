--TEST--
php-fpm: pools of a user, its commands and php -S share one count over a reload and a restart; another user does not
--EXTENSIONS--
ratelimit
posix
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
needs_apart();
needs_users();
needs_readable_checkout();
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/user.inc';
require __DIR__ . '/../attribute/request.inc';
require __DIR__ . '/../command/command.inc';
run_apart(__FILE__);

$user = posix_getpwnam('nobody')['uid'];
$fpm = new Fpm([], ['www' => [], 'more' => ['pm.max_children' => '2'], 'other' => ['pm.max_children' => '2', 'user' => 'daemon', 'group' => 'daemon']]);
same([], [...tickets(), ...segments()], 'nothing is made at the start');
$once = fn (int $number) => "return FrequencyLimit::doHandle('fpm', 1, 3600, $number);";
$command = fn (int $number) => run_as($user, "echo (int) FrequencyLimit::doHandle('fpm', 1, 3600, $number);")[1];

same([true, false], [$fpm($once(1)), $fpm($once(1))], 'a pool');
same('user', $fpm('return FrequencyLimit\Monitor::stats()["segment"];'), 'stats()');
same([false, true], [$fpm($once(1), 'more'), $fpm($once(2), 'more')], 'another pool of this user');
same(['0', '1', '0'], [$command(2), $command(3), $command(3)], 'a command of this user');
same(false, $fpm($once(3)), 'counts for the pools');
same([true, false], [$fpm($once(1), 'other'), $fpm($once(1), 'other')], 'a pool of another user has counts of its own');
same('1', run_php('echo (int) FrequencyLimit::doHandle("fpm", 1, 3600, 1);')[1], 'and so has root');
same([3, 3], [count(tickets()), count(segments())], 'three users');

/* The command says whose counts it has, and whose it has not. */
[$exit, $said, $errors] = ratelimit(explode(' ', 'ban fpm 2 --limit=1/3600s --for=1h'));
same([0, true], [$exit, str_starts_with($errors, 'ratelimit: these are the counts of root; PHP processes of daemon, nobody have counts of their own: sudo -u daemon ')], "root: $said$errors");
same([0, ''], [ratelimit(['metrics'])[0], ratelimit(['metrics'])[2]], 'numbers for a machine have no such line');
[$exit, $said] = run_command(['setpriv', '--reuid', '2', '--clear-groups', ...php_command([], [realpath(__DIR__ . '/../../bin/ratelimit'), 'top'])]);
same([3, true], [$exit, str_contains($said, 'sudo -u daemon ')], "a user without counts: $said");


/* php -S with workers of its own. */
$site = temp_folder(0755);
file_put_contents("$site/index.php", '<?php echo (int) FrequencyLimit::doHandle("fpm", 1, 3600, (int) $_GET["n"]);');
$socket = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($socket, false);
fclose($socket);
$server = new Server(['setpriv', '--reuid', (string) $user, '--clear-groups', ...php_command([], ['-S', $address, '-t', $site])], null, 'KILL',
	['PHP_CLI_SERVER_WORKERS' => '3', ...getenv()]);
ok(eventually(fn () => @file_get_contents("http://$address/?n=3") !== false), 'php -S');
$passed = array_map(fn () => (int) file_get_contents("http://$address/?n=5"), range(1, 8));
same(2, array_sum($passed), 'php -S with three workers');
$workers = explode(' ', trim(file_get_contents("/proc/$server->pid/task/$server->pid/children")));
$server->stop();
/* They would go on without it. */
array_map(fn (string $pid) => send_signal((int) $pid, 15), $workers);

$fpm->reload();
same([false, '0', true], [$fpm($once(5)), $command(5), $fpm($once(6))], 'a reload keeps the counts');
same(false, $fpm($once(1), 'other'), 'of all users');
$fpm->restart();
same([false, '0', true], [$fpm($once(6)), $command(6), $fpm($once(7))], 'a restart keeps them, too');
same([true, 'nobody'], [$fpm($once(8), 'more'), posix_getpwuid(fileowner(tickets()[$user]))['name']], 'and on');
same([], $fpm->complaints(), 'nothing is logged');

/* A worker that only decides on the fast path has a look at each request. */
unlink(tickets()[$user]);
ok(eventually(function () use ($fpm, $user) {
	$fpm('return FrequencyLimit::doHandle("fpm", 1, 3600, 1);');
	return isset(tickets()[$user]);
}), 'the ticket is made again');
same(['0', '1'], [$command(8), $command(9)], 'for the same counts');

done();
?>
--EXPECT--
done
