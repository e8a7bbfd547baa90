<?php

declare(strict_types=1);

use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Period;
use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Calendar;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\Decision;
use FrequencyLimit\Polyfill\Expire;
use FrequencyLimit\Polyfill\Failures;
use FrequencyLimit\Polyfill\Guard;
use FrequencyLimit\Polyfill\Guards;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Overview;
use FrequencyLimit\Polyfill\Policy;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Polyfill\StoreFailure;
use FrequencyLimit\Polyfill\Testing;
use FrequencyLimit\Result;
use FrequencyLimit\StoreException;

/** Rate limits by one call, without an object. */
final class FrequencyLimit
{
    /**
     * Counts a call of a user's action and returns whether it is within the limit: a fixed window. Exactly $number calls pass
     * in $time seconds, counted from the first one that passed. A refused call changes nothing, except that the first one of a
     * window starts the ban, if $expire has one.
     *
     * @param string                           $action 1 to 255 bytes
     * @param int                              $userId 1 to PHP_INT_MAX; without strict_types also the string of such an int
     * @param int                              $time   length of the window in seconds, 1 to 315,360,000 (ten years)
     * @param int                              $number calls that pass in a window, 1 to 16,777,215
     * @param array<string, int|string>|null   $expire empty or null: no ban. ['type' => 1, 'ttl' => s]: the first refused call
     *                                                 moves the window's end to s seconds from now (1 second to ten years).
     *                                                 ['type' => 2, 'ttl' => t]: it moves the end to the unix time t (at most
     *                                                 ten years from now), which may be earlier than the window's end; a t in
     *                                                 the past moves nothing. Numeric strings are taken for ints.
     * @return bool true: the call passes and was counted; false: it is refused
     * @throws InvalidArgument
     * @throws StoreException when the store is unavailable and ratelimit.on_failure is "throw"
     */
    public static function doHandle(string $action, int $userId, int $time, int $number, ?array $expire = []): bool
    {
        Argument::bytes('$action', $action);
        Argument::range('$userId', $userId, 1, PHP_INT_MAX);
        return self::decide($action, $userId, $time, $number, $expire, false, true)->accepted
            || !Settings::get()->enforce;
    }

    /**
     * Does the same as doHandle() and returns the decision as a Result. The identity may be a string (an address, a token).
     * Both methods share their counts.
     *
     * @param int|string                     $id     any int, or 1 to 255 bytes
     * @param array<string, int|string>|null $expire as doHandle() takes it
     * @throws InvalidArgument
     * @throws StoreException
     */
    public static function check(string $action, mixed $id, int $time, int $number, ?array $expire = []): Result
    {
        return self::result('check', $action, $id, $time, $number, $expire);
    }

    /**
     * Returns the decision that check() would make now. Counts nothing and starts no ban.
     *
     * @param int|string                     $id     any int, or 1 to 255 bytes
     * @param array<string, int|string>|null $expire as doHandle() takes it
     * @throws InvalidArgument
     * @throws StoreException
     */
    public static function peek(string $action, mixed $id, int $time, int $number, ?array $expire = []): Result
    {
        return self::result('peek', $action, $id, $time, $number, $expire);
    }

    /** @param array<mixed>|null $expire */
    private static function result(string $method, string $action, mixed $id, int $time, int $number, ?array $expire): Result
    {
        $given = $id;
        if (is_string($id)) {
            Argument::bytes('$action', $action);
        }
        $id = Argument::identity($id, "::$method", 2);
        Argument::bytes('$action', $action);
        $answer = self::decide($action, $id, $time, $number, $expire, $method === 'peek', false);
        if (!$answer->accepted && !Settings::get()->enforce) {
            $answer->pass(1, $action);
        }
        return Access::result(new Decision(
            $answer,
            [new Policy(null, $number, $time * 1_000_000)],
            $answer->accepted ? null : $action,
            $answer->accepted || !is_int($given) ? null : $given,
        ));
    }

    /** @param array<mixed>|null $expire */
    private static function decide(
        string $action,
        int|string $id,
        int $time,
        int $number,
        ?array $expire,
        bool $peek,
        bool $verdictOnly,
    ): Answer {
        Argument::range('$time', $time, 1, Bounds::SECONDS_MAX);
        Argument::range('$number', $number, 1, Bounds::COUNTER_MAX);
        $guard = Guards::of();
        [$banKind, $banS] = Expire::read($expire, $guard->wall(...));
        Failures::checkClock($guard);
        $key = new Key(Key::ACTION, $action, $id);
        try {
            return $guard->count($key, new CounterQuestion($time, $number, $banKind, $banS, $verdictOnly), $peek);
        } catch (StoreFailure $e) {
            throw Failures::of($e, $key);
        }
    }

    /**
     * Counts a call in an exact sliding window (a sliding log). Returns true when fewer than $maxCount calls were admitted in
     * the $period seconds that end now. A refused call counts nothing. Its counts are apart from those of doHandle().
     *
     * @param int|string $userId    any int, or 1 to 255 bytes
     * @param string     $actionKey 1 to 255 bytes
     * @param int        $period    seconds, 1 to 315,360,000
     * @param int        $maxCount  1 to 10,000
     * @param bool       $peek      true: returns what a call would return now, and counts nothing
     * @throws InvalidArgument
     * @throws StoreException
     */
    public static function isActionAllowed(mixed $userId, string $actionKey, int $period, int $maxCount, bool $peek = false): bool
    {
        $id = Argument::identity($userId, '::isActionAllowed', 1, '$userId');
        Argument::bytes('$actionKey', $actionKey);
        Argument::range('$period', $period, 1, Bounds::SECONDS_MAX);
        Argument::range('$maxCount', $maxCount, 1, Bounds::LOG_MAX);
        $guard = Guards::of();
        Failures::checkClock($guard);
        return self::askLog($guard, $peek ? Op::PEEK : Op::CONSUME, new Key(Key::ALLOWED, $actionKey, $id), $period, $maxCount)->accepted
            || !Settings::get()->enforce;
    }

    /** Asks about isActionAllowed()'s state: a limiter's state, with one sliding log. */
    private static function askLog(Guard $guard, int $op, Key $key, int $period, int $maxCount): Answer
    {
        try {
            return $guard->ask($key, new Question($op, [new Rule(Algorithm::SLIDING_LOG, $maxCount, $period * 1_000_000)]));
        } catch (StoreFailure $e) {
            throw Failures::of($e, $key);
        }
    }

    /**
     * Bans an identity from an action by hand: doHandle() and check() refuse it until the ban ends. The ban replaces the running
     * window or ban; when it ends, a fresh window begins. It does not concern isActionAllowed().
     *
     * @param int|string                  $id  any int, or 1 to 255 bytes
     * @param int|float|DateTimeInterface $end a number is a duration: 0.001 seconds to ten years. A DateTimeInterface is a
     *                                         moment, at most ten years ahead.
     * @throws InvalidArgument
     * @throws StoreException
     */
    public static function ban(string $action, mixed $id, int|float|DateTimeInterface $end): void
    {
        $key = self::actionKey('ban', $action, $id);
        $guard = Guards::of();
        self::banCounter($guard, $key, ...Argument::banEnd('$end', $end, $guard->wall()));
    }

    /**
     * Does the same as ban(), until the next boundary of a clock's period in PHP's default time zone, or until a moment.
     *
     * @param int|string $id any int, or 1 to 255 bytes
     * @throws InvalidArgument
     * @throws StoreException
     */
    public static function banUntil(string $action, mixed $id, Period|DateTimeInterface $end): void
    {
        $key = self::actionKey('banUntil', $action, $id);
        $guard = Guards::of();
        $us = $end instanceof Period
            ? Calendar::windows((string) Calendar::zoneName(null), Calendar::PERIODS[$end->value], $guard->wall())[1]
            : Argument::comingMoment('$end', $end, $guard->wall());
        self::banCounter($guard, $key, BanKind::UNTIL, $us);
    }

    private static function banCounter(Guard $guard, Key $key, int $kind, int $us): void
    {
        self::command($guard, $key, new CounterCommand(Op::BAN, $kind, intdiv($us + 999, 1000)));
    }

    /**
     * Lifts a running ban of doHandle() and check(), by hand or by $expire; a fresh window begins. A running count stays.
     *
     * @param int|string $id any int, or 1 to 255 bytes
     * @return bool true when there was a ban
     * @throws InvalidArgument
     * @throws StoreException
     */
    public static function unban(string $action, mixed $id): bool
    {
        return self::command(Guards::of(), self::actionKey('unban', $action, $id), new CounterCommand(Op::UNBAN));
    }

    private static function actionKey(string $method, string $action, mixed $id): Key
    {
        if (is_string($id)) {
            Argument::bytes('$action', $action);
        }
        $id = Argument::identity($id, "::$method", 2);
        return new Key(Key::ACTION, Argument::bytes('$action', $action), $id);
    }

    private static function command(Guard $guard, Key $key, CounterCommand $c): bool
    {
        Failures::checkClock($guard);
        try {
            return $guard->command($key, $c);
        } catch (StoreFailure $e) {
            throw Failures::of($e, $key);
        }
    }

    /**
     * Forgets the counts and the ban that doHandle(), check() and isActionAllowed() keep for an identity and an action.
     *
     * @param int|string $id any int, or 1 to 255 bytes
     * @return bool true when there was a count or a ban
     * @throws InvalidArgument
     * @throws StoreException
     */
    public static function reset(string $action, mixed $id): bool
    {
        $key = self::actionKey('reset', $action, $id);
        $guard = Guards::of();
        Failures::checkClock($guard);
        $failure = null;
        $counted = false;
        try {
            $counted = self::command($guard, $key, new CounterCommand(Op::RESET));
        } catch (StoreException $e) {
            $failure = $e;
        }
        /* Resets both, also if the first one fails, so that the fallback's state is reset as a whole. The limit is one that
         * leaves the state as it is. */
        try {
            $found = self::askLog($guard, Op::RESET, $key->in(Key::ALLOWED), Bounds::SECONDS_MAX, Bounds::LOG_MAX)->found;
        } catch (StoreException $e) {
            throw $failure ?? $e;
        }
        return $failure === null ? $counted || $found : throw $failure;
    }

    /**
     * Forgets all counts, bans and places of this process, in an application's own tests. The numbers of stats() stay. Requires
     * ratelimit.testing=1.
     *
     * @throws StoreException unless ratelimit.testing is on; if ratelimit.store names a Redis, whose keys it does not touch
     */
    public static function flush(): void
    {
        Testing::flush();
    }

    /**
     * Returns the numbers of this process. Its "segment" is "none", since it shares its memory with no other process.
     *
     * @return array{
     *     store: string, segment: string, bytes: int, slots: int, slots_used: int, records: int,
     *     records_used: int, decisions: int, refusals: int, bans: int, evictions: int, errors: int,
     *     redis_decisions: int, redis_refusals: int, redis_errors: int, fallbacks: int, cached: int, leased: int,
     *     workers: int,
     *     servers: list<array{server: string, state: string, since: float, failures: int, latency: float}>,
     *     warnings: list<string>
     * }
     */
    public static function stats(): array
    {
        return Overview::stats();
    }
}
