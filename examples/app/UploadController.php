<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit;

/** Scene 3: a hundred uploads a day; whoever goes past them waits until midnight. */
final class UploadController
{
    /** @return true|string true, or what to tell the user */
    public function doUpload(int $userId): bool|string
    {
        try {
            $midnight = strtotime('tomorrow'); // in date.timezone
            $pass = FrequencyLimit::doHandle('upload', $userId, 24 * 60 * 60, 100, ['type' => 2, 'ttl' => $midnight]);
            if (!$pass) {
                return '超出今日上线';
            }
            // The file is stored here.
            return true;
        } catch (\Exception $e) {
            return $e->getMessage();
        }
    }
}
