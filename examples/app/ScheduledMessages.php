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
 * Requests may come in any order. A moment is booked only when every minute and every hour that contains it keeps its
 * limit, across midnight too.
 */
final class ScheduledMessages
{
    private readonly Limiter $limiter;

    public function __construct(string $timezone = 'UTC')
    {
        $this->limiter = new Limiter('scheduled-message', [
            Limit::slidingLog(1, 60)->named('minute'),
            Limit::slidingLog(5, 3600)->named('hour'),
            Limit::calendar(10, Period::Day, $timezone)->named('day'),
        ]);
    }

    /** Refused: retryAfter tells how many seconds from now the next free moment is. */
    public function schedule(int|string $user, DateTimeInterface $at): Result
    {
        return $this->limiter->reserve($user, $at);
    }

    /** @return bool false: nothing was booked at that moment */
    public function withdraw(int|string $user, DateTimeInterface $at): bool
    {
        return $this->limiter->cancel($user, $at);
    }
}
