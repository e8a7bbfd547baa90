<?php

namespace FrequencyLimit\Laravel;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Permit;
use FrequencyLimit\Result;

/**
 * The fixed windows of Laravel's keys: one count and one end for each key, whatever limit a call compares it with.
 *
 * Laravel's checks bring a maximum and no period, its hits a period and no maximum. Both work on one window, because the
 * extension judges a running window by its own period and the caller's number.
 *
 * Where the store is unavailable, give() and forget() are reported, and throw nothing.
 */
final class Windows
{
    /** Hits count up to it. The extension keeps larger numbers on Redis in a longer form. */
    public const MAX = 16_777_215;

    /** Ten years, the longest period of the extension. */
    public const LONGEST = 315_360_000;

    private readonly string $name;

    public function __construct(string $name, private readonly ?string $store, private readonly ?TestClock $clock = null)
    {
        $this->name = self::identity($name);
    }

    /** Counts one call of at most $max in the window of $seconds that the first one opens. */
    public function take(string $key, int $max, int $seconds): Result
    {
        return $this->limiter($max, $seconds)->consume(self::identity($key));
    }

    /** Does the same as take(), and returns what gives exactly this call back. */
    public function acquire(string $key, int $max, int $seconds): Permit
    {
        return $this->limiter($max, $seconds)->acquire(self::identity($key));
    }

    /** Counts $amount (at least 1) without a limit, and returns the count afterwards. */
    public function add(string $key, int $amount, int $seconds): int
    {
        return self::MAX - $this->limiter(self::MAX, $seconds)->consume(self::identity($key), min($amount, self::MAX), 0, 1)->remaining;
    }

    /** Takes $amount off the count, down to 0. The window stays. Returns the count afterwards. */
    public function give(string $key, int $amount): int
    {
        if ($amount > 0) {
            BestEffort::run($this->limiter(self::MAX, 1)->credit(...), self::identity($key), min($amount, self::MAX));
        }

        return BestEffort::run($this->count(...), $key) ?? 0;
    }

    /** Returns the count of the running window; 0 without one. */
    public function count(string $key): int
    {
        return $this->state($key)[0];
    }

    /**
     * Returns the count of the running window and the seconds until its end, rounded up; zeros without one.
     *
     * @return array{int, int}
     */
    public function state(string $key): array
    {
        $result = $this->limiter(self::MAX, 1)->peek(self::identity($key), 0);

        return [self::MAX - $result->remaining, self::wholeSeconds($result->resetAfter)];
    }

    /** Rounds up to whole seconds. A window ends with a whole millisecond, and so is up to one longer than its seconds. */
    public static function wholeSeconds(float $seconds): int
    {
        return (int) ceil(max($seconds - 0.001, min($seconds, 0.001)));
    }

    /** Forgets the window. */
    public function forget(string $key): void
    {
        BestEffort::run($this->limiter(self::MAX, 1)->reset(...), self::identity($key));
    }

    /** Refuses the key for so many seconds. Throws where the store is unavailable: a ban is never lost silently. */
    public function ban(string $key, int|float $seconds): void
    {
        $this->limiter(self::MAX, 1)->ban(self::identity($key), $seconds);
    }

    /** Lifts a ban, and returns whether there was one. Throws as ban(). */
    public function unban(string $key): bool
    {
        return $this->limiter(self::MAX, 1)->unban(self::identity($key));
    }

    /** Returns whether the counts of a store are in a Redis; null or an empty text: ratelimit.store of php.ini. */
    public static function isRedis(?string $store): bool
    {
        return ! in_array($store ?: ini_get('ratelimit.store'), ['', 'shm:'], true);
    }

    private function limiter(int $max, int $seconds): Limiter
    {
        $this->clock?->follow();

        return new Limiter($this->name, Limit::fixedWindow(min($max, self::MAX), min($seconds, self::LONGEST)), $this->store);
    }

    /** Returns an identity of 1 to 255 bytes: the text itself where it is one. */
    public static function identity(string $text): string
    {
        return $text !== '' && strlen($text) <= 255 ? $text : 'sha256:'.hash('sha256', $text);
    }
}
