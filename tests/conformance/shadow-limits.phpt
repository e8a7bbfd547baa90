--TEST--
A shadow limit decides nothing: alone, beside others, in a file, as a permit, after reset(), with a store that is away
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Reason;

/* Text and properties. */
$shadow = Limit::slidingLog(1, 60)->named('new')->shadow();
same(['log:1/1m,shadow,name=new', true, false], [(string) $shadow, $shadow->shadow, Limit::slidingLog(1, 60)->shadow], 'a shadow');
ok(Limit::parse('log:1/1m,name=new,shadow') == $shadow && $shadow != Limit::slidingLog(1, 60)->named('new'), '==');
throws(InvalidArgument::class, ['"shadow=1" is not an option of it'], fn () => Limit::parse('log:1/1m,shadow=1'), 'a value');

/* Beside an enforced limit. */
$limiter = new Limiter('both', [$shadow, Limit::slidingLog(3, 60)->named('old')]);
same([null, 'new', 'new', 'new'], array_map(fn () => $limiter->consume('x')->shadow, range(1, 4)), 'the shadow refuses from the second call on');
same([false, Reason::Limited, 'old', 'new'], [$limiter->peek('x')->accepted, $limiter->peek('x')->reason, $limiter->peek('x')->name, $limiter->peek('x')->shadow], 'the enforced limit refuses');
ok(!str_contains($limiter->peek('y')->headers()['RateLimit-Policy'], 'new'), 'the headers do not have it');
same(true, $limiter->reset('x'), 'reset()');
same(null, $limiter->consume('x')->shadow, 'reset() forgets its counts');
same(['log:3/1m,name=old', 'log:1/1m,shadow,name=new'], array_map(strval(...), $limiter->limits), 'the property: behind the enforced ones');
ok($limiter == new Limiter('both', $limiter->limits) && $limiter != new Limiter('both', Limit::slidingLog(3, 60)->named('old')), '==');
throws(InvalidArgument::class, ["must have different names, 'a' given"], fn () => new Limiter('x', [$shadow->named('a'), Limit::fixedWindow(1, 1)->named('a')]), 'one name twice');

/* Alone: every call passes. Without a name: its text. A ban of its own. */
$alone = new Limiter('alone', Limit::fixedWindow(1, 60)->ban(3600)->shadow());
same([null, 'fixed:1/1m,ban=1h,shadow', 'fixed:1/1m,ban=1h,shadow'], array_map(fn () => $alone->consume('x')->shadow, range(1, 3)), 'alone');
ok($alone->allow('x') && $alone->acquire('x')->result->accepted, 'it passes');
ok((new Limiter('alone', Limit::fixedWindow(1, 60)))->consume('x')->accepted, 'it counts apart from a limiter of the same name');

/* Neither leave, nor atLeast, nor maxWait reach a shadow: alone it judges and counts what it does beside another limit. */
$judged = [];
foreach (['beside' => [Limit::slidingLog(1000, 60)], 'alone' => []] as $how => $others) {
	$limiter = new Limiter("judged $how", [Limit::slidingLog(5, 60)->named('s')->shadow(), ...$others]);
	foreach ([$limiter->consume('x', 3, leave: 3), $limiter->peek('x', 3), $limiter->consume('x', 3, atLeast: 1), $limiter->consume('x', 2),
		$limiter->acquire('x', 3, maxWait: 100)->result, $limiter->acquire('x', 1, leave: 5)->result] as $result) {
		$judged[$how][] = [$result->accepted, $result->granted, $result->shadow, $result->wait];
	}
}
same($judged['beside'], $judged['alone'], 'alone as beside another limit');
same([null, 's', 's', null, 's', 's'], array_column($judged['alone'], 2), 'which is the judgement without them');

/* Permits: the true cost is the shadow's, too. */
$costs = new Limiter('costs', [Limit::fixedWindow(100, 3600), Limit::fixedWindow(3, 3600)->named('s')->shadow()]);
$costs->acquire('x', 3)->cancel();
same(null, $costs->peek('x', 3)->shadow, 'cancel()');
$costs->acquire('x', 3)->settle(1);
same([null, 's'], [$costs->peek('x', 2)->shadow, $costs->peek('x', 3)->shadow], 'settle()');
$places = new Limiter('places', [Limit::concurrent(5, 60), Limit::concurrent(1, 60)->named('s')->shadow()]);
$permits = [$places->acquire('x'), $places->acquire('x')];
same([null, 's'], array_map(fn ($permit) => $permit->result->shadow, $permits), 'places');
ok($permits[0]->renew(30) && $permits[0]->release(), 'release()');
same(null, $places->acquire('x')->result->shadow, 'the place came free');
unset($permits);
throws(InvalidArgument::class, ['acquire() takes its places'], fn () => (new Limiter('p', [Limit::fixedWindow(1, 1), Limit::concurrent(1, 60)->shadow()]))->consume('x'), 'consume()');

/* In a file. */
$file = tempnam(sys_get_temp_dir(), 'rl');
file_put_contents($file, "[f]\nold = log:3/1m\nnew = log:1/1m,shadow\n[g]\nnew = log:1/1m,shadow\n");
ini_set('ratelimit.limiters', $file);
foreach (['f', 'g'] as $name) {
	same([null, 'new', true], [Limiter::named($name)->consume('x')->shadow, Limiter::named($name)->consume('x')->shadow, Limiter::named($name)->allow('x')], "$name in a file");
}
unlink($file);

/* A shadow's store that is away is no failure of the call. */
ini_set('error_log', '/dev/null');
foreach (['throw', 'deny', 'allow', 'local'] as $policy) {
	ini_set('ratelimit.on_failure', $policy);
	$away = new Limiter("away $policy", $shadow, 'unix:///nowhere/redis.sock');
	try {
		ok($away->consume('x')->accepted, "$policy: passes");
	} catch (FrequencyLimit\StoreException) {
		same('throw', $policy, 'an exception');
	}
}
done();
?>
--EXPECT--
done
