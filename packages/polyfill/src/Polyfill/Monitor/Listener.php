<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Monitor;

use FrequencyLimit\Reason;
use FrequencyLimit\Result;

/** The function that is called after each decision of this request. */
final class Listener
{
    /** @var (\Closure(string, int|string, Result): mixed)|null */
    private static ?\Closure $listener = null;
    /** @var array<array-key, Reason> none: all */
    private static array $reasons = [];
    private static bool $isRunning = false;

    /** @param array<array-key, Reason> $reasons */
    public static function set(?callable $listener, array $reasons): void
    {
        self::$listener = $listener === null ? null : \Closure::fromCallable($listener);
        self::$reasons = $reasons;
    }

    public static function hears(Reason $reason): bool
    {
        return self::$listener !== null && !self::$isRunning && (self::$reasons === [] || \in_array($reason, self::$reasons, true));
    }

    /** Calls the listener. A decision that it asks for does not call it again. */
    public static function call(string $name, int|string $id, Result $result): void
    {
        $listener = self::$listener;
        self::$isRunning = true;
        try {
            $listener !== null && $listener($name, $id, $result);
        } finally {
            self::$isRunning = false;
        }
    }
}
