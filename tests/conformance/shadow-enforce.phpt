--TEST--
With ratelimit.enforce=0 every call passes, counts as before, and Result::$shadow names the limit that would refuse
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\AccessLimit;
use FrequencyLimit\ConcurrencyLimit;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Reason;

function enforce(bool $on): void
{
	ok(ini_set('ratelimit.enforce', $on ? '1' : '0') !== false, 'the setting');
}

#[AccessLimit(seconds: 60, maxCount: 1)]
function limited(): bool
{
	return true;
}

#[ConcurrencyLimit(limit: 1, seconds: 60)]
function held(int $depth): int
{
	return $depth > 0 ? 1 + held($depth - 1) : 1;
}

$limiter = new Limiter('e', ['a' => Limit::fixedWindow(2, 3600)->ban(3600), 'b' => Limit::slidingLog(3, 3600)]);
enforce(false);
$verdicts = fn (): array => [FrequencyLimit::doHandle('a', 1, 60, 2), FrequencyLimit::doHandle('b', 1, 60, 1, ['type' => 1, 'ttl' => 60]),
	FrequencyLimit::isActionAllowed('x', 'c', 60, 1), $limiter->allow('allow')];
for ($i = 0; $i < 4; $i++) {
	same([true, true, true, true], $verdicts(), "call $i");
	$check = FrequencyLimit::check('d', 'x', 60, 2);
	same([true, Reason::Accepted, 0.0, $i < 2 ? null : 'd'], [$check->accepted, $check->reason, $check->retryAfter, $check->shadow], "check() $i");
	$result = $limiter->consume('x');
	same([true, Reason::Accepted, 0.0, 1, $i < 2 ? null : 'a'], [$result->accepted, $result->reason, $result->retryAfter, $result->granted, $result->shadow], "consume() $i");
	same([$i < 2 ? null : 'a'], array_map(fn ($r) => $r->shadow, $limiter->consumeMany(['many'])), "consumeMany() $i");
	ok(limited(), "an attribute $i");
}
same([true, 'a'], [$limiter->peek('x')->accepted, $limiter->peek('x')->shadow], 'peek()');
same([true, 'a'], [$limiter->consume('new', 3)->accepted, $limiter->consume('new', 3)->shadow], 'too expensive a call');
same(3, held(2), 'a concurrent attribute');
$places = new Limiter('places', Limit::concurrent(1, 60));
$permits = [$places->acquire('x'), $places->acquire('x')];
same([null, 'concurrent:1/1m'], array_map(fn ($permit) => $permit->result->shadow, $permits), 'acquire()');
same([true, true], [$permits[1]->release(), $permits[0]->release()], 'release()');

/* The event of an attribute, and its last result, name the limit as those of a Limiter do. */
#[AccessLimit(seconds: 60, maxCount: 1, action: 'heard')]
#[AccessLimit(seconds: 600, maxCount: 3, action: 'heard')]
function heard(): void
{
}
#[ConcurrencyLimit(limit: 1, seconds: 60)]
function heard_place(callable $inner): void
{
	$inner();
}
$events = $last = [];
FrequencyLimit\Monitor::listen(function (string $name, int|string $id, FrequencyLimit\Result $r) use (&$events): void {
	$events[] = [$name, $id, $r->accepted, $r->granted, $r->shadow];
});
for ($i = 0; $i < 4; $i++) {
	heard();
	$last[] = FrequencyLimit\Request::lastResult()->shadow;
}
heard_place(fn () => heard_place(function (): void {
	$GLOBALS['last'][] = FrequencyLimit\Request::lastResult()->shadow;
}));
FrequencyLimit\Monitor::listen(null);
$shadows = [null, 'fixed:1/1m', 'fixed:1/1m', 'fixed:1/1m', 'concurrent:1/1m'];
same($shadows, $last, 'the last results');
array_splice($shadows, 4, 0, [null]);
same(array_map(fn (int $i, ?string $shadow): array => [$i < 4 ? 'heard' : 'heard_place', 'ip:local', true, 1, $shadow], array_keys($shadows), $shadows), $events, 'the events');
same(3, array_column(FrequencyLimit\Monitor::limiters(), null, 'name')['heard']['shadow'], 'counted');

/* What was counted is enforced from now on. */
enforce(true);
same([false, false, false, false], $verdicts(), 'enforced');
same([false, Reason::Banned, null], [$limiter->consume('x')->accepted, $limiter->consume('x')->reason, $limiter->consume('x')->shadow], 'consume()');
same(false, FrequencyLimit::check('d', 'x', 60, 2)->accepted, 'check()');
throws(FrequencyLimit\LimitExceeded::class, [], limited(...), 'an attribute');
ok($places->acquire('x')->result->accepted && !$limiter->allow('many'), 'places and bans');

/* A store that is away decides nothing either, but is not a shadow's refusal. */
enforce(false);
ini_set('error_log', '/dev/null');
ini_set('ratelimit.on_failure', 'deny');
$away = new Limiter('away', Limit::fixedWindow(1, 60), 'unix:///nowhere/redis.sock');
same([true, Reason::StoreUnavailable, null], [$away->consume('x')->accepted, $away->consume('x')->reason, $away->consume('x')->shadow], 'away');
done();
?>
--EXPECT--
done
