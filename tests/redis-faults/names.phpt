--TEST--
A silent name server costs the connect timeout, and nothing for a cached name
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
exec('unshare --mount --net sh -c "ip link set lo up && mount --bind /etc/hosts /etc/hosts" 2>&1', $lines, $exit);
if (!is_root() || $exit !== 0) {
	die('skip a machine with name servers of its own (namespaces) needs root: ' . implode(' ', $lines));
}
?>
--FILE--
<?php
require __DIR__ . '/../include/php.inc';

$folder = temp_folder();
file_put_contents("$folder/resolv.conf", "nameserver 127.0.0.9\noptions timeout:30 attempts:5\n");
file_put_contents("$folder/nsswitch.conf", "hosts: files dns\n");
file_put_contents("$folder/hosts", "127.0.0.1 localhost redis.example\n");
$inside = implode(' ', array_map('escapeshellarg', php_command([], [__DIR__ . '/names.inc', "$folder/hosts"])));
[, $said] = run_command(['unshare', '--mount', '--net', 'sh', '-c', "ip link set lo up && cd $folder &&
	for file in resolv.conf nsswitch.conf hosts; do mount --bind \$file /etc/\$file || exit; done; exec $inside"]);
echo $said;
?>
--EXPECT--
done
