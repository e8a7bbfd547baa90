--TEST--
Each coroutine of Swoole has the request that it has begun, or none; states of ended coroutines are freed (simulated)
--EXTENSIONS--
ratelimit
--FILE--
<?php
namespace Swoole {
	/** What the extension asks of Swoole: PHP does not see its coroutines switch. */
	final class Coroutine
	{
		public static int $id = -1;
		public static array $alive = [];
		public static function getCid(): int { return self::$id; }
		public static function exists(int $id): bool { return isset(self::$alive[$id]); }
	}
}

namespace {
	require __DIR__ . "/worker.inc";
	use FrequencyLimit\Request;
	use Swoole\Coroutine;

	function in(int $coroutine): void
	{
		Coroutine::$id = $coroutine;
		Coroutine::$alive[$coroutine] = true;
	}

	foreach ([1 => 11, 2 => null, 3 => 13] as $id => $user) {
		in($id);
		Request::begin("203.0.113.$id");
		if ($user !== null) {
			Request::identifyBy(fn () => $user);
		}
	}
	foreach ([2 => "LoginRequired", 3 => "ran", 1 => "ran"] as $id => $outcome) {
		in($id);
		same([$outcome, "203.0.113.$id"], [outcome("members"), Request::clientAddress()], "coroutine $id");
	}
	same([1, 1], [left("members", 11), left("members", 13)], "each for itself");
	same([], warnings(), "nothing to warn of");
	foreach ([4, -1] as $id) {
		in($id);
		same(["LoginRequired", "nobody"], [outcome("members"), Request::clientAddress()], "coroutine $id has begun none");
	}

	/* A fiber within one. */
	in(1);
	(new Fiber(fn () => same("LoginRequired", outcome("members"), "a fiber in a coroutine")))->start();

	/* What has ended is freed, at the latest when there is twice as much. */
	$freed = 0;
	for ($id = 10; $id < 1010; $id++) {
		in($id);
		Request::begin();
		Request::identifyBy((new Freed($freed))->user(...));
		unset(Coroutine::$alive[$id]);
	}
	between(900, $freed, 1000, "of 1,000 that have ended");
	in(1);
	same("ran", outcome("members"), "one that has not");

	done();
}
?>
--EXPECT--
done
