--TEST--
A session's handler sets a listener, decides, and resumes one that a fiber has suspended, behind the end of the request
--SKIPIF--
<?php
extension_loaded('session') || die('skip requires session');
?>
--EXTENSIONS--
ratelimit
--INI--
session.cache_limiter=
session.gc_probability=0
session.save_path=
--FILE--
<?php
function decide(string $when): void
{
	FrequencyLimit\Monitor::listen(function (string $name, string $identity) use ($when): void {
		echo "$when: $name $identity\n";
	});
	FrequencyLimit::check('action', 'bob', 60, 5);
	FrequencyLimit\Monitor::listen(null);
}

final class Sessions extends SessionHandler
{
	public function open(string $path, string $name): bool
	{
		return true;
	}

	public function read(string $id): string
	{
		return '';
	}

	public function write(string $id, string $data): bool
	{
		decide('written');
		return true;
	}

	public function close(): bool
	{
		decide('closed');
		$GLOBALS['suspended']->resume();
		return true;
	}
}

session_set_save_handler(new Sessions(), false);
session_start();
decide('running');
/* It runs after PHP has called the destructors. */
ob_start(function (string $output): string {
	FrequencyLimit\Monitor::listen(function (): void {
		Fiber::suspend();
	});
	$GLOBALS['suspended'] = new Fiber(function (): void {
		FrequencyLimit::check('action', 'alice', 60, 5);
	});
	$GLOBALS['suspended']->start();
	return $output;
});
?>
--EXPECT--
running: action bob
written: action bob
closed: action bob
