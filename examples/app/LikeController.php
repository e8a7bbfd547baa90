<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit;

/** Scene 2: ten likes in 10 seconds; whoever goes past them is banned for an hour. */
final class LikeController
{
    /** @return true|string true, or what to tell the user */
    public function doLike(int $userId): bool|string
    {
        try {
            $pass = FrequencyLimit::doHandle('like', $userId, 10, 10, ['type' => 1, 'ttl' => 60 * 60]);
            if (!$pass) {
                return '过于频繁,被禁止操作1小时';
            }
            // The like is saved here.
            return true;
        } catch (\Exception $e) {
            return $e->getMessage();
        }
    }
}
