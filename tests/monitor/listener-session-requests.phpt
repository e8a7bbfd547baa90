--TEST--
php-fpm: a session's handler that decides behind the end of its request leaves nothing to the next one
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
extension_loaded('session') || die('skip requires session');
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/fpm.inc';

$fpm = new Fpm(['session.cache_limiter' => '', 'session.gc_probability' => '0'], ['www' => ['pm.max_children' => '1']]);
$code = <<<'CODE'
	final class Sessions extends SessionHandler
	{
		public function open(string $path, string $name): bool { return true; }
		public function read(string $id): string { return ''; }
		public function close(): bool { return true; }
		public function write(string $id, string $data): bool
		{
			FrequencyLimit\Monitor::listen(strtoupper(...));
			FrequencyLimit\Monitor::listen(null);
			for ($i = 0; $i < 3; $i++) {
				FrequencyLimit::check('action ' . getmypid(), 'bob', 60, 1);
			}
			return true;
		}
	}
	session_set_save_handler(new Sessions(), false);
	session_start();
	$taken = [];
	for ($i = 0; $i < 100; $i++) {
		$taken[] = "other action $i " . getmypid();
	}
	foreach ($taken as $action) {
		FrequencyLimit::check($action, 'bob', 60, 1);
	}
	return [getmypid(), $taken === array_map(fn (int $i): string => "other action $i " . getmypid(), range(0, 99))];
	CODE;
$worker = $fpm('return getmypid();');
for ($i = 0; $i < 20; $i++) {
	same([$worker, true], $fpm($code), 'the worker, and its strings');
}
same([], array_values($fpm->complaints()), 'the log');
done();
?>
--EXPECT--
done
