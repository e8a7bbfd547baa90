<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Result;

/** Scene 3: a hundred uploads a day; a further one must wait until midnight. Two uploads of a user run at the same time. */
final class UploadController
{
    public const SECONDS = 24 * 60 * 60;
    public const NUMBER = 100;
    public const AT_ONCE = 2;
    /** A place of an upload ends after so many seconds, if its machine is lost. */
    public const LONGEST = 600;

    /**
     * @param callable(): void|null $store stores the file
     * @return true|string true, or a text for the user
     */
    public function doUpload(int $userId, ?callable $store = null): bool|string
    {
        try {
            // The place comes free with the permit's object, however this method ends.
            $place = (new Limiter('upload.places', Limit::concurrent(self::AT_ONCE, self::LONGEST)))->acquire($userId);
            if (!$place->result->accepted) {
                return '请等待其他上传完成';
            }
            $midnight = strtotime('tomorrow'); // in date.timezone
            $ban = ['type' => 2, 'ttl' => $midnight];
            $pass = FrequencyLimit::doHandle('upload', $userId, self::SECONDS, self::NUMBER, $ban);
            if (!$pass) {
                return '超出今日上线';
            }
            if ($store !== null) {
                $store();
            }
            $place->release();
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
