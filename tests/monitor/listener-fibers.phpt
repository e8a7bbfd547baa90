--TEST--
A listener that waits in one fiber is called for the decisions of others, and never for those that it makes itself
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Limit, Limiter, Monitor};

$limiter = new Limiter('page', Limit::fixedWindow(1000, 60));
$heard = [];
Monitor::listen(function (string $name, int|string $id) use (&$heard, $limiter): void {
	$heard[] = $id;
	$limiter->consume("$id, by the listener");
	(new Fiber(fn () => $limiter->consume("$id, by a fiber of the listener")))->start();
	Fiber::getCurrent() && Fiber::suspend();
	$limiter->consume("$id, behind the wait");
});
$fibers = array_map(fn (string $id) => new Fiber(function () use ($limiter, $id) {
	$limiter->consume($id);
	$limiter->consume("$id again");
}), ['a', 'b']);
foreach ($fibers as $fiber) {
	$fiber->start();
}
same(['a', 'b'], $heard, 'one fiber waits, another decides');
$limiter->consume('main');
same(['a', 'b', 'main'], $heard, 'both wait, the script decides');
foreach ([1, 2] as $_) {
	foreach ($fibers as $fiber) {
		$fiber->resume();
	}
}
same(['a', 'b', 'main', 'a again', 'b again'], $heard, 'each is heard again');
ok($fibers[0]->isTerminated() && $fibers[1]->isTerminated(), 'both have ended');

/* A fiber is dropped while the listener waits in it. */
for ($i = 0; $i < 3; $i++) {
	$heard = [];
	$fiber = new Fiber(fn () => $limiter->consume('dropped'));
	$fiber->start();
	unset($fiber);
	$limiter->consume('behind it');
	same(['dropped', 'behind it'], $heard, 'a dropped fiber');
}
done();
?>
--EXPECT--
done
