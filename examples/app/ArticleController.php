<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\AccessLimit;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Result;

/** A page with thirty visits a minute for each user: an attribute of the method, which PHP enforces. */
final class ArticleController
{
    public const SECONDS = 60;
    public const NUMBER = 30;

    /**
     * The application has set the user's identity with Request::identifyBy().
     *
     * @throws \FrequencyLimit\LimitExceeded before the body runs
     */
    #[AccessLimit(seconds: self::SECONDS, maxCount: self::NUMBER, action: 'article')]
    public function show(): string
    {
        return '…';
    }

    /** Returns the decision of the next visit; counts nothing. */
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
