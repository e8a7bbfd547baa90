<?php

declare(strict_types=1);

use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Period;
use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\Expire;
use FrequencyLimit\Polyfill\Guard\Guard;
use FrequencyLimit\Polyfill\Guard\Failures;
use FrequencyLimit\Polyfill\Guard\Guards;
use FrequencyLimit\Polyfill\Guard\StoreFailure;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Limit\Policy;
use FrequencyLimit\Polyfill\Result\Decision;
use FrequencyLimit\Polyfill\Result\Listener;
use FrequencyLimit\Polyfill\Settings;
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
     * @param int                              $userId 1 to PHP_INT_MAX; also the string of such an int
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
    public static function doHandle(string $action, mixed $userId, int $time, int $number, ?array $expire = []): bool
    {
        $userId = Argument::userId($userId);
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
        return Access::result(self::decision($action, $answer, $number, $time, is_int($given) ? $given : null));
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
        $q = new CounterQuestion($time, $number, $banKind, $banS, $verdictOnly);
        try {
            $answer = $guard->count($key, $q, $peek);
        } catch (StoreFailure $e) {
            throw Failures::of($e, $key);
        }
        if (!$peek) {
            Listener::action($key, $answer, static fn (): Decision => self::decision($action, clone $answer, $number, $time, is_int($id) ? $id : null));
        }
        return $answer;
    }

    /** Returns what a Result has of an answer, which passes if no limit is enforced. */
    private static function decision(string $action, Answer $answer, int $number, int $time, ?int $caller): Decision
    {
        if (!$answer->accepted && !Settings::get()->enforce) {
            $answer->pass(1, $action);
        }
        return new Decision($answer, [new Policy(null, $number, $time * 1_000_000)], $answer->accepted ? null : $action, $answer->accepted ? null : $caller);
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
        $key = new Key(Key::ALLOWED, $actionKey, $id);
        $answer = self::askLog($guard, $peek ? Op::PEEK : Op::CONSUME, $key, $period, $maxCount);
        if (!$peek) {
            Listener::action($key, $answer, static fn (): Decision => self::decision($actionKey, clone $answer, $maxCount, $period, null));
        }
        return $answer->accepted || !Settings::get()->enforce;
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
     * @param int|string                         $id  any int, or 1 to 255 bytes
     * @param int|float|Period|DateTimeInterface $end a number: 0.001 seconds to ten years from now; a Period: the clock's next
     *                                                boundary in PHP's default time zone; a moment: at most ten years ahead
     * @throws InvalidArgument
     * @throws StoreException
     */
    public static function ban(string $action, mixed $id, int|float|Period|DateTimeInterface $end): void
    {
        $key = self::actionKey('ban', $action, $id);
        $guard = Guards::of();
        [$kind, $us] = Argument::banEnd('$end', $end, $guard->wall());
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
        $key = self::actionKey('unban', $action, $id);
        return self::command(Guards::of(), $key, new CounterCommand(Op::UNBAN));
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
     * Forgets all counts, bans and places of this process, in an application's own tests. Requires ratelimit.testing=1.
     *
     * @throws StoreException unless ratelimit.testing is on; if ratelimit.store names a Redis, whose keys it does not touch
     */
    public static function flush(): void
    {
        Testing::flush();
    }
}
