<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Result;

/** Two reports of a user are made at a time, however long each takes. */
final class ReportController
{
    public const AT_ONCE = 2;
    /** A place ends after so many seconds, if its machine is lost. */
    public const LONGEST = 30;

    /**
     * @param callable(): void $make makes the report
     * @return true|string true, or a text for the user
     */
    public function doReport(int $userId, callable $make): bool|string
    {
        try {
            // The place comes free with the permit's object, however this method ends.
            $place = self::limiter()->acquire($userId);
            if (!$place->result->accepted) {
                return '请等待其他报表完成';
            }
            $make();
            return true;
        } catch (\Exception $e) {
            return $e->getMessage();
        }
    }

    /** Returns the free places; takes none. */
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
        return new Limiter('report', Limit::concurrent(self::AT_ONCE, self::LONGEST)->named('places'));
    }
}
