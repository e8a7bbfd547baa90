<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\AccessLimit;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Result;

/** A page with thirty visits a minute for each user: its method says so, and PHP sees to it. */
final class ArticleController
{
    public const SECONDS = 60;
    public const NUMBER = 30;

    /**
     * Who the user is, the application has told AccessLimit::identifyBy().
     *
     * @throws \FrequencyLimit\LimitExceeded before a line of this is run
     */
    #[AccessLimit(seconds: self::SECONDS, maxCount: self::NUMBER, action: 'article')]
    public function show(): string
    {
        return '…';
    }

    /** What the next visit would be told; counts nothing. */
    public function peek(int $userId): Result
    {
        return self::limiter()->peek($userId);
    }

    public function forget(int $userId): bool
    {
        return self::limiter()->reset($userId);
    }

    /** The attribute's count, which has the name of its action. */
    private static function limiter(): Limiter
    {
        return new Limiter('article', Limit::fixedWindow(self::NUMBER, self::SECONDS));
    }
}
