--TEST--
leased() rejects a limit that cannot be leased, with the reason
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{InvalidArgument, Limit, Limiter, Period};

$window = Limit::fixedWindow(100, 60);
foreach ([0, -1, 16_777_216] as $permits) {
	throws(InvalidArgument::class, ['非法参数', '$permits', 16777215, $permits], fn () => $window->leased($permits), "leased($permits)");
}
foreach ([Limit::slidingLog(10, 60), Limit::slidingWindow(10, 60), Limit::tokenBucket(10, 60)] as $limit) {
	throws(InvalidArgument::class, ['非法参数', '$permits', 'fixed or calendar window'], fn () => $limit->leased(5), 'another kind');
}
foreach ([[$window->leased(5), $window], [Limit::slidingLog(5, 60), $window->leased(5)], $window->leased(5)->ban(60),
	$window->ban(60)->leased(5), $window->leased(5)->ban(Period::Day)] as $limits) {
	throws(InvalidArgument::class, ['非法参数', '$limits', 'without a ban'], fn () => new Limiter('x', $limits), 'several, or a ban');
}
foreach (['fixed' => $window, 'calendar' => Limit::calendar(100, Period::Day, 'UTC')] as $name => $limit) {
	$limiter = new Limiter($name, $limit->leased(5));
	throws(InvalidArgument::class, ['非法参数', 'must not be leased()'], fn () => $limiter->credit('x'), "$name: credit");
	throws(InvalidArgument::class, ['非法参数'], fn () => $limiter->reserve('x', time() + 5), "$name: reserve");
	throws(InvalidArgument::class, ['非法参数'], fn () => $limiter->cancel('x', time() + 5), "$name: cancel");
	new Limiter($name, [$limit->leased(5)->named('only')]);
}
same(true, (new Limiter('one', $window->leased(1)->ban(60)))->consume('x')->accepted, 'one at a time is no lease');
/* Immutable, as every with-method. */
$window->leased(5);
(new Limiter('several', [$window, $window]))->consume('x');
done();
?>
--EXPECT--
done
