<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit;

/** At most five replies in any 60 seconds. */
final class ReplyController
{
    /** @throws ActionThresholdOverflow */
    public function doReply(string $user): void
    {
        if (!FrequencyLimit::isActionAllowed($user, 'reply', 60, 5)) {
            throw new ActionThresholdOverflow('At most 5 replies a minute.');
        }
        // The reply is saved here.
    }
}
