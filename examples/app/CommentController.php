<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit;

/** Scene 1: ten comments in 30 seconds. */
final class CommentController
{
    /** @return true|string true, or what to tell the user */
    public function doComment(int $userId): bool|string
    {
        try {
            $pass = FrequencyLimit::doHandle('comment', $userId, 30, 10);
            if (!$pass) {
                return '过于频繁';
            }
            // The comment is saved here.
            return true;
        } catch (\Exception $e) {
            return $e->getMessage();
        }
    }
}
