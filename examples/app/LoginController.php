<?php

declare(strict_types=1);

namespace App;

use Closure;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;

/** Five wrong passwords of a user in 15 minutes; a right one costs nothing. */
final class LoginController
{
    public const SECONDS = 15 * 60;
    public const FAILURES = 5;

    private readonly Limiter $failures;

    /** @param Closure(string $user, string $password): bool $isRight */
    public function __construct(private readonly Closure $isRight)
    {
        $this->failures = new Limiter('login.failures', Limit::slidingLog(self::FAILURES, self::SECONDS));
    }

    /**
     * Checks a password, but no more than five at the same time: each attempt is charged first.
     *
     * @return true|string true, or a text for the user
     */
    public function doLogin(string $user, string $password): bool|string
    {
        $attempt = $this->failures->acquire($user);
        if (!$attempt->result->accepted) {
            return '失败次数过多';
        }
        if (!($this->isRight)($user, $password)) {
            return '密码错误'; // the permit ends here and stays charged, also after an exception
        }
        $attempt->cancel();
        return true;
    }
}
