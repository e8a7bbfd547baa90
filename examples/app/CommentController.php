<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit;
use FrequencyLimit\Result;

/** Scene 1: ten comments in 30 seconds. */
final class CommentController
{
    public const SECONDS = 30;
    public const NUMBER = 10;

    /** @return true|string true, or the message for the user */
    public function doComment(int $userId): bool|string
    {
        try {
            $pass = FrequencyLimit::doHandle('comment', $userId, self::SECONDS, self::NUMBER);
            if (!$pass) {
                return '过于频繁';
            }
            // The comment is saved here.
            return true;
        } catch (\Exception $e) {
            return $e->getMessage();
        }
    }

    /** Returns the decision of the next comment; counts nothing. */
    public function peek(int $userId): Result
    {
        return FrequencyLimit::peek('comment', $userId, self::SECONDS, self::NUMBER);
    }

    public function forget(int $userId): bool
    {
        return FrequencyLimit::reset('comment', $userId);
    }
}
