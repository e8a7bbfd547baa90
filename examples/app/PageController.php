<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Result;

/** A hundred pages a minute for each user, in two ways. */
final class PageController
{
    public const SECONDS = 60;
    public const NUMBER = 100;

    private readonly Limiter $counter;
    private readonly Limiter $log;

    public function __construct()
    {
        $this->counter = new Limiter('page', Limit::fixedWindow(self::NUMBER, self::SECONDS));
        $this->log = new Limiter('page.exact', Limit::slidingLog(self::NUMBER, self::SECONDS));
    }

    /** By a counter: cheapest, but the end of one window and the start of the next may hold 200 visits together. */
    public function visit(int $userId): Result
    {
        return $this->counter->consume($userId);
    }

    /** What visit() would answer; counts nothing. */
    public function peek(int $userId): Result
    {
        return $this->counter->peek($userId);
    }

    public function forget(int $userId): bool
    {
        return $this->counter->reset($userId);
    }

    /** By the moments themselves: no 60 seconds ever hold more than 100 visits. */
    public function visitExactly(int $userId): Result
    {
        return $this->log->consume($userId);
    }
}
