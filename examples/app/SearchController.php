<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Result;

/** Ten searches in any minute. A smaller limit is tried as a shadow: it counts what it would refuse, and refuses nothing. */
final class SearchController
{
    public const NUMBER = 10;
    public const SECONDS = 60;
    public const TRIED = 5;

    public function search(int $userId): Result
    {
        return self::limiter()->consume($userId);
    }

    public function peek(int $userId): Result
    {
        return self::limiter()->peek($userId);
    }

    public function forget(int $userId): bool
    {
        return self::limiter()->reset($userId);
    }

    private static function limiter(): Limiter
    {
        return new Limiter('search', [
            Limit::slidingLog(self::NUMBER, self::SECONDS),
            Limit::slidingLog(self::TRIED, self::SECONDS)->named('tried')->shadow(),
        ]);
    }
}
