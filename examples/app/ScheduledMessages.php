<?php

declare(strict_types=1);

namespace App;

use DateTimeInterface;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Period;
use FrequencyLimit\Result;

/**
 * Messages that go out at a given moment: for each user at most one in any minute, five in any hour and ten a day.
 *
 * Requests may arrive in any order. A moment is booked only if every minute and every hour that contains it keeps its
 * limit, across midnight too.
 */
final class ScheduledMessages
{
    public const PER_MINUTE = 1;
    public const PER_HOUR = 5;
    public const PER_DAY = 10;

    private readonly Limiter $limiter;

    public function __construct(string $timezone = 'UTC')
    {
        $this->limiter = new Limiter('scheduled-message', [
            Limit::slidingLog(self::PER_MINUTE, 60)->named('minute'),
            Limit::slidingLog(self::PER_HOUR, 3600)->named('hour'),
            Limit::calendar(self::PER_DAY, Period::Day, $timezone)->named('day'),
        ]);
    }

    /** After a refusal, retryAfter is the number of seconds until the next free moment. */
    public function schedule(int|string $user, DateTimeInterface $at): Result
    {
        return $this->limiter->reserve($user, $at);
    }

    /** @return bool false: nothing was booked at that moment */
    public function withdraw(int|string $user, DateTimeInterface $at): bool
    {
        return $this->limiter->cancel($user, $at);
    }

    /** Withdraws everything. */
    public function forget(int|string $user): bool
    {
        return $this->limiter->reset($user);
    }
}
