<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit;
use FrequencyLimit\Result;

/** Scene 3: a hundred uploads a day; a further one must wait until midnight. */
final class UploadController
{
    public const SECONDS = 24 * 60 * 60;
    public const NUMBER = 100;

    /** @return true|string true, or a text for the user */
    public function doUpload(int $userId): bool|string
    {
        try {
            $midnight = strtotime('tomorrow'); // in date.timezone
            $ban = ['type' => 2, 'ttl' => $midnight];
            $pass = FrequencyLimit::doHandle('upload', $userId, self::SECONDS, self::NUMBER, $ban);
            if (!$pass) {
                return '超出今日上线';
            }
            // The file is stored here.
            return true;
        } catch (\Exception $e) {
            return $e->getMessage();
        }
    }

    /** Returns the remaining uploads, and the ban if there is one; counts nothing. */
    public function peek(int $userId): Result
    {
        return FrequencyLimit::peek('upload', $userId, self::SECONDS, self::NUMBER);
    }

    public function forget(int $userId): bool
    {
        return FrequencyLimit::reset('upload', $userId);
    }
}
