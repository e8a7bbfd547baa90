<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Result;

/** A hundred pages a minute for each user, in two ways. */
final class PageController
{
    private readonly Limiter $counter;
    private readonly Limiter $log;

    public function __construct()
    {
        $this->counter = new Limiter('page', Limit::fixedWindow(100, 60));
        $this->log = new Limiter('page.exact', Limit::slidingLog(100, 60));
    }

    /** By a counter: the cheapest way, but the end of one window and the start of the next may have 200 visits together. */
    public function visit(int $userId): Result
    {
        return $this->counter->consume($userId);
    }

    /** By a sliding log: no 60 seconds ever have more than 100 visits. */
    public function visitExactly(int $userId): Result
    {
        return $this->log->consume($userId);
    }
}
