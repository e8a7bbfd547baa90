<?php
declare(strict_types=1);

use FrequencyLimit\AccessLimit;
use FrequencyLimit\Clock;
use FrequencyLimit\ConcurrencyLimit;
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\LimitExceeded;
use FrequencyLimit\Limiter;
use FrequencyLimit\LimiterInterface;
use FrequencyLimit\Monitor;
use FrequencyLimit\Period;
use FrequencyLimit\Permit;
use FrequencyLimit\RateLimit;
use FrequencyLimit\Reason;
use FrequencyLimit\Request;
use FrequencyLimit\Result;

#[RateLimit('comments', cost: 2)]
final class Comments
{
    public function __construct(private readonly LimiterInterface $limiter)
    {
    }

    #[AccessLimit(seconds: 60, maxCount: 5)]
    #[AccessLimit(seconds: 86400, maxCount: 100)]
    #[ConcurrencyLimit(limit: 2, seconds: 600)]
    #[RateLimit('texts', ['requests' => 1], id: 'text', needLogin: true)]
    public function add(string $text): string
    {
        return $text;
    }

    /** @throws LimitExceeded */
    public function post(int $user): int
    {
        $result = $this->limiter->consume($user, cost: 2, leave: 5, atLeast: 1);
        $result->ensureAccepted();
        return $result->remaining + $result->granted;
    }

    public function why(Result $result): string
    {
        return match ($result->reason) {
            Reason::Accepted => 'passes',
            Reason::Limited, Reason::Banned => $result->retryText(),
            Reason::TooExpensive => 'never',
            Reason::StoreUnavailable => 'later',
        };
    }

    /** @return array{a: int, b: int} */
    public function many(): array
    {
        $results = $this->limiter->consumeMany(['a' => 1, 'b' => 'x']);
        return ['a' => $results['a']->remaining, 'b' => $results['b']->remaining];
    }

    /** @throws InvalidArgument */
    public function metered(string $id): float
    {
        $permit = $this->limiter->acquire($id, 10, maxWait: 2.5);
        if (!$permit->result->accepted || !$permit->wait()) {
            return $permit->result->nextAfter ?? 0.0;
        }
        $settled = $permit->settle(3);
        return $settled !== null ? $settled->resetAfter : 0.0;
    }
}

/** Counts a call whose decision nothing reads, and asks about any int. */
function counted(Limiter $limiter, int $userId): bool
{
    $limiter->consume($userId);
    return FrequencyLimit::doHandle('comment', $userId, 60, 5);
}

/** @return list<string> */
function headers_of(Result $result): array
{
    $lines = [];
    foreach ($result->headers(legacy: true) as $name => $value) {
        $lines[] = $name . ': ' . $value;
    }
    if (!$result->accepted) {
        $problem = $result->problem();
        $lines[] = $problem['title'] . ($problem['retry_after'] ?? 0) . $result->status();
    }
    return $lines;
}

$limiter = new Limiter('comment', [
    'minute' => Limit::fixedWindow(5, 60)->ban(600),
    'day' => Limit::calendar(100, Period::Day, 'Europe/Paris')->ban(Period::Month),
    Limit::tokenBucket(10, 0.5, burst: 50)->named('bucket')->unit('tokens'),
    Limit::none(),
]);
if ($limiter->allow('u') && FrequencyLimit::doHandle('like', 7, 60, 5, ['type' => 1, 'ttl' => 3600])) {
    Request::identifyBy(fn (): ?int => random_int(0, 1) === 1 ? 7 : null);
    echo (new Comments($limiter))->add('x');
}
foreach (Monitor::stats()['servers'] as $server) {
    echo $server['server'], $server['latency'];
}
Clock::travelTo(new DateTimeImmutable('2026-01-01'));
FrequencyLimit::flush();
$permit = Permit::of(Result::of(Reason::Limited, limit: 5, retryAfter: 3.5, name: 'minute'));
echo $permit->result->limit;
$limiter->reset('u');
$limiter->ban('u', new DateTimeImmutable('+1 day'));

$model = new Limiter('model', [
    'requests' => Limit::slidingLog(100, 60)->by('user')->ban([60, 600], forget: 86400),
    'tokens' => Limit::every(1_000_000_000, new DateInterval('P1M'), new DateTimeImmutable('2026-01-31'))->leased()->by('tenant'),
]);
$call = $model->acquire(['tenant' => 7, 'user' => 'u'], ['requests' => 1, 'tokens' => 1830]);
$settled = $call->settle(['requests' => 1, 'tokens' => 512]);
echo $settled?->level, $model->peek(['tenant' => 7, 'user' => 'u'], 0)->remaining;
Monitor::listen(static function (string $name, int|string $identity, Result $result): void {
    echo $name, $identity, $result->shadow ?? '';
}, Reason::Limited, Reason::Banned);
foreach (Monitor::limiters() as $row) {
    echo $row['name'], $row['refused'], $row['limits'][0]['name'] ?? '';
}
foreach ([...Monitor::top(5), ...Monitor::bans()] as $caller) {
    echo $caller['by'] ?? '', $caller['identity'];
}
foreach (Monitor::history() as $minute) {
    echo $minute['time'] + $minute['seconds'], $minute['decisions'];
}
Limiter::define($model);
echo Limiter::named('login')->limits[0], Monitor::metrics(), Monitor::preflight()['stores'][0] ?? '', Monitor::scan()['next'];
