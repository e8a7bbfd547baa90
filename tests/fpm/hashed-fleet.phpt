--TEST--
Machines behind nginx's consistent hash admit each limit exactly, and once more where one leaves or joins
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
if (!is_executable('/usr/sbin/nginx')) {
	die('skip nginx is not installed');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/fpm.inc';
const IDENTITIES = 60, LIMIT = 5;

/* The example's configuration, with the sockets of this test. Each machine has a segment of its own, and no Redis. */
$machines = [new Fpm(), new Fpm(), new Fpm()];
$folder = temp_folder(0755);
file_put_contents("$folder/index.php", '<?php
	$limiter = new FrequencyLimit\Limiter("login", FrequencyLimit\Limit::fixedWindow(5, 3600));
	echo (int) $limiter->allow($_GET["id"]), " ", getmypid();');
$configuration = file_get_contents(__DIR__ . '/../../examples/fleet/nginx.conf');
foreach ($machines as $n => $machine) {
	$configuration = str_replace("10.0.0.1$n:9000", "unix:$machine->folder/www.sock", $configuration, $replaced);
	same(1, $replaced, "machine $n of the example");
}
$paths = implode('', array_map(fn ($name) => "{$name}_temp_path $folder/$name;\n", ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']));
$configuration = strtr($configuration, ["http {\n" => "http {\n$paths", 'listen 80;' => "listen unix:$folder/http.sock;", '/srv/app/public' => $folder, '/run/nginx.pid' => "$folder/pid",
	'/var/log/nginx' => $folder]);
file_put_contents("$folder/nginx.conf", (is_root() ? "user root;\n" : '') . "daemon off;\n$configuration");
$nginx = new Server(['/usr/sbin/nginx', '-p', $folder, '-e', "$folder/error.log", '-c', "$folder/nginx.conf"], "$folder/nginx.log");
$get = function (int $id) use ($folder): ?array {
	$http = @stream_socket_client("unix://$folder/http.sock", $number, $text, 5);
	if (!$http) {
		return null;
	}
	fwrite($http, "GET /?id=user$id HTTP/1.0\r\nHost: localhost\r\n\r\n");
	[$head, $body] = explode("\r\n\r\n", stream_get_contents($http), 2) + ['', ''];
	return str_contains($head, ' 200 ') ? explode(' ', $body) : null;
};
ok(eventually(fn () => $get(0) !== null), 'nginx answers: ' . @file_get_contents("$folder/error.log"));

/** Makes ten calls for each identity. Returns which machine decided all of them, and how many passed. */
$round = function () use ($get, $machines): array {
	$of = $passed = [];
	for ($id = 1; $id <= IDENTITIES; $id++) {
		$passed[$id] = 0;
		for ($i = 0; $i < 10; $i++) {
			[$accepted, $pid] = $get($id) ?? throw new Exception("no answer for $id");
			$passed[$id] += (int) $accepted;
			foreach ($machines as $n => $machine) {
				if (in_array((int) $pid, $machine->workers(), true)) {
					$of[$id][$n] = true;
				}
			}
		}
		$of[$id] = count($of[$id]) === 1 ? key($of[$id]) : null;
	}
	return [$of, $passed];
};
[$before, $passed] = $round();
same([], array_keys($before, null, true), 'identities that more than one machine decides');
same([LIMIT], array_values(array_unique($passed)), 'each identity: its limit, exactly');
same([0, 1, 2], array_values(array_unique(array_values((function ($a) { sort($a); return $a; })($before)))), 'all machines decide');

/* A machine leaves: its identities begin afresh on the others, and no other identity moves. */
$machines[2]->stop();
[$after, $passed] = $round();
foreach ($before as $id => $machine) {
	same($machine === 2 ? LIMIT : 0, $passed[$id], "identity $id of machine $machine, when machine 2 has left");
	ok($machine === 2 ? $after[$id] !== 2 && $after[$id] !== null : $after[$id] === $machine, "identity $id moves only if its machine has left");
}

/* It comes back, with nothing in its memory: the identities that move to it begin afresh, and are those that it had. They move
 * while calls are made. */
$machines[2]->start();
ok(eventually(fn () => $round()[0] === $before, 30), 'each identity is where it was');
done();
?>
--EXPECT--
done
