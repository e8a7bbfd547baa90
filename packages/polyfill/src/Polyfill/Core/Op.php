<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The questions that a limiter's state answers. The scripts for Redis read the numbers. */
final class Op
{
    public const CONSUME = 1;
    public const PEEK = 2;
    public const RESERVE = 3;
    public const CANCEL = 4;
    public const CREDIT = 5;
    public const BAN = 6;
    public const UNBAN = 7;
    public const RESET = 8;
    public const ACQUIRE = 10;
    public const SETTLE = 11;
    public const RELEASE = 12;
    public const RENEW = 13;

    /** Returns whether the question asks for a decision, which a failure policy can take. The others are commands. */
    public static function isDecision(int $op): bool
    {
        return $op === self::CONSUME || $op === self::PEEK || $op === self::RESERVE || $op === self::ACQUIRE;
    }

    /** Returns whether the answer has what each limit has left. */
    public static function decides(int $op): bool
    {
        return self::isDecision($op) || $op >= self::SETTLE;
    }

    /** Returns whether the question is about a moment that the caller chose. */
    public static function isBooking(int $op): bool
    {
        return $op === self::RESERVE || $op === self::CANCEL;
    }
}
