<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit;
use FrequencyLimit\Result;

/** Scene 2: ten likes in 10 seconds; the eleventh starts a ban of an hour. */
final class LikeController
{
    public const SECONDS = 10;
    public const NUMBER = 10;
    public const BAN_SECONDS = 60 * 60;

    /** @return true|string true, or the message for the user */
    public function doLike(int $userId): bool|string
    {
        try {
            $ban = ['type' => 1, 'ttl' => self::BAN_SECONDS];
            $pass = FrequencyLimit::doHandle('like', $userId, self::SECONDS, self::NUMBER, $ban);
            if (!$pass) {
                return '过于频繁,被禁止操作1小时';
            }
            // The like is saved here.
            return true;
        } catch (\Exception $e) {
            return $e->getMessage();
        }
    }

    /** Returns the remaining number, and the ban if there is one; counts nothing. */
    public function peek(int $userId): Result
    {
        return FrequencyLimit::peek('like', $userId, self::SECONDS, self::NUMBER);
    }

    public function forget(int $userId): bool
    {
        return FrequencyLimit::reset('like', $userId);
    }
}
