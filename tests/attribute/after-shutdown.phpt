--TEST--
A session handler's limited functions run after the request's cleanup, and the next request starts clean
--EXTENSIONS--
ratelimit
session
--FILE--
<?php
require __DIR__ . '/../include/web.inc';

$folder = temp_folder();
file_put_contents("$folder/index.php", <<<'PHP'
	<?php
	use FrequencyLimit\AccessLimit;
	use FrequencyLimit\Request;
	final class Handler implements SessionHandlerInterface, SessionIdInterface, SessionUpdateTimestampHandlerInterface
	{
		public function open(string $path, string $name): bool { return true; }
		public function close(): bool { return true; }
		public function read(string $id): string|false { return ''; }
		public function destroy(string $id): bool { return true; }
		public function gc(int $max): int|false { return 0; }
		public function create_sid(): string { return bin2hex(random_bytes(16)); }
		public function validateId(string $id): bool { return true; }
		public function updateTimestamp(string $id, string $data): bool { return true; }

		#[AccessLimit(seconds: 3600, maxCount: 1000)]
		public function write(string $id, string $data): bool
		{
			Request::identifyBy(fn () => 'late ' . mt_rand());
			return true;
		}
	}
	session_set_save_handler(new Handler(), false);
	session_start();
	$_SESSION['changed'] = mt_rand();
	$memory = [];
	for ($i = 0; $i < 2000; $i++) {
		$memory[] = str_repeat(chr(65 + $i % 26), 200 + $i % 97);
	}
	#[AccessLimit(seconds: 3600, maxCount: 1000)]
	function page(): int
	{
		return FrequencyLimit\Request::lastResult()->remaining;
	}
	echo page();
	PHP);
$server = new WebServer(["$folder/index.php"], ['session.save_path' => $folder], 1);
$visitor = $server->visitor();
for ($i = 1; $i <= 20; $i++) {
	same((string) (1000 - $i), $visitor->get('/')->body, "request $i: by the client's address");
}
same([], $server->complaints(), 'PHP complained of nothing');
done();
?>
--EXPECT--
done
