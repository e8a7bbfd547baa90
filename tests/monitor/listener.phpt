--TEST--
A listener gets each decision with name, identity and Result; it may throw, and decide without calling itself
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{AccessLimit, Limit, Limiter, LimitExceeded, Reason, Result};

$heard = [];
$listener = function (string $name, int|string $identity, Result $result) use (&$heard): void {
	$heard[] = [$name, $identity, $result->reason->value, $result->remaining];
};
$take = function () use (&$heard): array {
	[$now, $heard] = [$heard, []];
	return $now;
};
#[AccessLimit(seconds: 60, maxCount: 1, action: 'attributed')]
function limited(): void
{
}

$limiter = new Limiter('login', Limit::fixedWindow(1, 60)->ban(60));
FrequencyLimit\Monitor::listen($listener);
$limiter->consume('bob');
$limiter->allow('bob');
same([['login', 'bob', 'accepted', 0], ['login', 'bob', 'banned', 0]], $take(), 'a limiter');
FrequencyLimit::doHandle('like', 7, 60, 2);
FrequencyLimit::doHandle('like', 7, 60, 2);
FrequencyLimit::doHandle('like', 7, 60, 2);
FrequencyLimit::check('like', 'x', 60, 2);
FrequencyLimit::isActionAllowed('x', 'log', 60, 5);
same([['like', 7, 'accepted', 1], ['like', 7, 'accepted', 0], ['like', 7, 'limited', 0], ['like', 'x', 'accepted', 1], ['log', 'x', 'accepted', 4]], $take(), 'actions');
FrequencyLimit\Monitor::listen(function (string $name, int|string $identity, Result $result) use (&$heard): void {
	$heard[] = $result->problem()['detail'] ?? '';
}, Reason::Limited);
FrequencyLimit::isActionAllowed('x', 'once', 60, 1);
FrequencyLimit::isActionAllowed('x', 'once', 60, 1);
$detail = $take();
ok(count($detail) === 1 && !str_contains($detail[0], 'at the same time'), 'the text of a refusal names no places: ' . json_encode($detail));
FrequencyLimit\Monitor::listen($listener);
limited();
try {
	limited();
} catch (LimitExceeded) {
}
same([['attributed', 'accepted'], ['attributed', 'limited']], array_map(fn (array $one): array => [$one[0], $one[2]], $take()), 'an attribute');
$permit = $limiter->acquire('eve');
$limiter->consumeMany([1, 2, 'bob']);
(new Limiter('by', [Limit::fixedWindow(5, 60)->by('tenant'), Limit::fixedWindow(1, 60)->by('user')]))->consume(['tenant' => 3, 'user' => 'u']);
same([['login', 'eve'], ['login', 1], ['login', 2], ['login', 'bob'], ['by', 'u']], array_map(fn (array $one): array => [$one[0], $one[1]], $take()), 'permits, many, labels');
$limiter->peek('bob');
$limiter->unban('bob');
$limiter->reset('bob');
FrequencyLimit::peek('like', 7, 60, 2);
FrequencyLimit::reset('like', 7);
same([], $take(), 'a peek and a command are no decisions');

/* Reasons. */
FrequencyLimit\Monitor::listen($listener, Reason::Limited, Reason::TooExpensive);
FrequencyLimit::doHandle('few', 1, 60, 1);
FrequencyLimit::doHandle('few', 1, 60, 1);
$limiter->consume('z');
$limiter->consume('z');
$limiter->consume('z', 5);
same([['few', 1, 'limited'], ['login', 'z', 'too_expensive']], array_map(fn (array $one): array => array_slice($one, 0, 3), $take()), 'two reasons');
throws(TypeError::class, ['must be of type FrequencyLimit\Reason'], fn () => FrequencyLimit\Monitor::listen($listener, 'limited'), 'no reason');
FrequencyLimit::doHandle('few', 1, 60, 1);
same(1, count($take()), 'a wrong call changes nothing');

/* A listener that decides, and one that throws. */
$other = new Limiter('other', Limit::fixedWindow(1, 60));
FrequencyLimit\Monitor::listen(function (string $name, int|string $identity) use ($other, $limiter, &$heard): void {
	$heard[] = $name;
	$other->consume($identity);
	$limiter->consume('inside');
	FrequencyLimit::doHandle('inside', 1, 60, 1);
});
$result = $limiter->consume('deep');
same([true, 0, ['login']], [$result->accepted, $result->remaining, $take()], 'what it decides does not call it');
FrequencyLimit\Monitor::listen(function (string $name): void {
	throw new DomainException("heard $name");
});
throws(DomainException::class, ['heard login'], fn () => $limiter->consume('thrown'), 'consume()');
throws(DomainException::class, ['heard login'], fn () => $limiter->acquire('thrown too'), 'acquire()');
throws(DomainException::class, ['heard like'], fn () => FrequencyLimit::doHandle('like', 99, 60, 2), 'doHandle()');
throws(DomainException::class, ['heard attributed'], fn () => limited(), 'an attribute');
throws(DomainException::class, ['heard login'], fn () => $limiter->consumeMany([11, 12]), 'consumeMany()');
FrequencyLimit\Monitor::listen(null);
same([false, 0], [$limiter->peek('thrown')->accepted, FrequencyLimit::peek('like', 99, 60, 2)->remaining], 'the decision stands');

/* A listener that lets all calls pass, or ends that. */
$asked = [
	'doHandle()' => fn (): bool => FrequencyLimit::doHandle('set', 1, 60, 1),
	'check()' => fn (): bool => FrequencyLimit::check('set', 2, 60, 1)->accepted,
	'isActionAllowed()' => fn (): bool => FrequencyLimit::isActionAllowed(3, 'set', 60, 1),
	'consume()' => fn (): bool => $limiter->consume('set')->accepted,
];
foreach ($asked as $what => $ask) {
	$ask();
	foreach (['1', '0'] as $enforce) {
		ini_set('ratelimit.enforce', $enforce);
		FrequencyLimit\Monitor::listen(fn () => ini_set('ratelimit.enforce', $enforce === '1' ? '0' : '1'));
		same($enforce === '0', $ask(), "$what is decided with ratelimit.enforce=$enforce");
		FrequencyLimit\Monitor::listen(null);
	}
	ini_restore('ratelimit.enforce');
}

/* A listener that removes itself, and a private method. */
FrequencyLimit\Monitor::listen(function () use (&$heard): void {
	$heard[] = 'once';
	FrequencyLimit\Monitor::listen(null);
});
$limiter->consume('x1');
$limiter->consume('x2');
same(['once'], $take(), 'removed by itself');
final class Log
{
	public array $lines = [];

	public function __construct()
	{
		FrequencyLimit\Monitor::listen([$this, 'add']);
	}

	private function add(string $name, int|string $identity, Result $result): void
	{
		$this->lines[] = "$name $identity";
	}
}
$log = new Log();
$limiter->consume('x3');
FrequencyLimit\Monitor::listen(null);
same(['login x3'], $log->lines, 'a private method');
done();
?>
--EXPECT--
done
