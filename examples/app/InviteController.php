<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Result;

/**
 * Five invitations in twenty seconds, by a fixed window or by a sliding log. Around the end of a window ten pass within a
 * moment. The log admits at most five in any twenty seconds.
 */
final class InviteController
{
    public const NUMBER = 5;
    public const SECONDS = 20;

    private readonly Limiter $limiter;

    public function __construct(bool $isLog)
    {
        $this->limiter = $isLog
            ? new Limiter('invite.log', Limit::slidingLog(self::NUMBER, self::SECONDS))
            : new Limiter('invite.window', Limit::fixedWindow(self::NUMBER, self::SECONDS));
    }

    public function invite(int $userId): Result
    {
        return $this->limiter->consume($userId);
    }

    public function peek(int $userId): Result
    {
        return $this->limiter->peek($userId);
    }

    public function forget(int $userId): bool
    {
        return $this->limiter->reset($userId);
    }
}
