--TEST--
examples/app/nginx.conf serves the application and ratelimit.php, whose php-fpm workers share one count
--EXTENSIONS--
ratelimit
session
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
if (!is_executable('/usr/sbin/nginx')) {
	die('skip nginx is not installed');
}
needs_readable_checkout();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
require __DIR__ . '/page.inc';

$fpm = new Fpm(['date.timezone' => date_default_timezone_get()], ['www' => ['pm.max_children' => '3', 'php_admin_value[session.save_path]' => temp_folder(0777)]]);
$folder = temp_folder(0755);
mkdir("$folder/cache", 0777);
chmod("$folder/cache", 0777);

/* The unchanged sample, with the values that it asks for. */
$sample = file_get_contents(APP . '/nginx.conf');
$places = [
	'listen 127.0.0.1:8080;' => "listen unix:$folder/nginx.sock;",
	'root /srv/ratelimit/examples/app/public;' => 'root ' . realpath(APP . '/public') . ';',
	'/srv/ratelimit/ratelimit.php' => realpath(__DIR__ . '/../../ratelimit.php'),
	'unix:/run/php/php-fpm.sock' => "unix:$fpm->folder/www.sock",
	'"choose one"' => '"' . PASSWORD . '"',
	'include fastcgi_params;' => 'include /etc/nginx/fastcgi_params;',
	'allow 127.0.0.1;' => 'allow unix:;',
];
foreach (array_keys($places) as $place) {
	ok(str_contains($sample, $place), "the sample has $place");
}
$paths = implode('', array_map(fn ($name) => "{$name}_temp_path $folder/cache/$name;\n", ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']));
file_put_contents("$folder/nginx.conf", (is_root() ? "user root;\n" : '') . "worker_processes 1;\npid $folder/pid;\nerror_log $folder/log;\n"
	. "events {}\nhttp {\ninclude /etc/nginx/mime.types;\naccess_log off;\n$paths" . strtr($sample, $places) . "\n}\n");
$nginx = new Server(['/usr/sbin/nginx', '-c', "$folder/nginx.conf", '-e', "$folder/log", '-g', 'daemon off;'], "$folder/out", 'TERM');
ok(eventually(fn () => @stream_socket_client("unix://$folder/nginx.sock") !== false), 'nginx: ' . @file_get_contents("$folder/log"));
$visitor = new Visitor("unix://$folder/nginx.sock");

$page = $visitor->get('/');
ok($page->status === 200 && str_contains($page->body, 'May this user do this action now?'), 'the page: ' . $page->status);
foreach (['app.css' => 'text/css', 'app.js' => 'javascript', 'icon.svg' => 'image/svg+xml'] as $file => $type) {
	$page = $visitor->get("/$file");
	ok($page->status === 200 && str_contains((string) $page->header('content-type'), $type), "$file: $page->status");
}
same(404, $visitor->get('/index.php')->status, 'the front controller has no name');
same(404, $visitor->get('/nothing')->status, 'no page');

[$passed, $refusal] = press_until_refused($visitor, '/api/comment', 50);
same([10, 429], [$passed, $refusal->status], 'ten comments');
ok((int) $refusal->header('retry-after') > 0 && str_contains($refusal->header('ratelimit'), ';r=0;'), 'and the headers get through');
[$passed] = press_until_refused($visitor, '/api/visit', 50);
same(30, $passed, 'visits, by the attribute');

same(303, log_in($visitor)->status, 'ratelimit.php');
same('Forgotten: comment, 7.', button($visitor, 'forget', ['name' => 'comment', 'id' => '7', 'limits' => '10/30s']), 'forgets');
same(200, $visitor->post('/api/comment')->status, 'for all of them');
same([], $fpm->complaints(), 'FPM complained of nothing');
done();
?>
--EXPECT--
done
