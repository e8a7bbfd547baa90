<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Period;
use FrequencyLimit\Result;

/**
 * New conversations: ten in each hour and thirty in each day of the clock.
 *
 * One Limiter decides both together, so an hour that is full takes nothing from the day.
 */
final class ConversationController
{
    public const PER_HOUR = 10;
    public const PER_DAY = 30;

    private readonly Limiter $limiter;

    public function __construct(string $timezone = 'Asia/Shanghai')
    {
        $this->limiter = new Limiter('conversation', [
            Limit::calendar(self::PER_HOUR, Period::Hour, $timezone)->named('hour'),
            Limit::calendar(self::PER_DAY, Period::Day, $timezone)->named('day'),
        ]);
    }

    /** The name of the result is the limit that refused. */
    public function start(int $userId): Result
    {
        return $this->limiter->consume($userId);
    }

    /** Returns the decision of start(); counts nothing. */
    public function peek(int $userId): Result
    {
        return $this->limiter->peek($userId);
    }

    public function forget(int $userId): bool
    {
        return $this->limiter->reset($userId);
    }
}
