<?php

/**
 * The public API of ratelimit, from which scripts/stub.sh generates ratelimit_arginfo.h.
 *
 * Times are in seconds unless a name has another unit. Where the type is int|float, they may be fractions, to the
 * microsecond; a duration has at least a millisecond, unless its bounds begin with 0.
 *
 * Names, actions and identities are byte strings of 1 to 255 bytes of any value. An int and the string of its digits
 * (42 and '42') are the same identity. null, bool, float and objects are no identities: a TypeError, also without
 * strict_types, and an InvalidArgument as an element of an array, or as the parameter that RateLimit's $id names.
 *
 * A bad argument is an InvalidArgument that names the argument and the bound, and nearly always the value. It changes nothing.
 * A wrong type is PHP's TypeError; of an element of an array it is an InvalidArgument.
 *
 * ratelimit.on_failure decides a call for which the store is unavailable. "local" is this machine's memory, which goes on
 * from Redis' last answers. "local:1/N", with N from 2 to 10000, has one Nth of what was left, at least one permit. The
 * others are "allow", "deny" and "throw". Commands (reset, cancel, credit, ban, unban, and those of a Permit) that Redis did
 * not carry out throw a StoreException under every policy. With "local" those of a Limiter and of FrequencyLimit take effect
 * in this machine's memory all the same, until Redis is back. A key with a value that ratelimit did not write is always a
 * StoreException.
 *
 * @generate-class-entries
 * @undocumentable
 */

namespace {
    /**
     * Rate limits by one call, without an object.
     *
     * @strict-properties
     * @not-serializable
     */
    final class FrequencyLimit
    {
        /**
         * Counts a call of a user's action and returns whether it is within the limit: a fixed window. Exactly $number
         * calls pass in $time seconds, counted from the first one that passed. A refused call changes nothing, except
         * that the first one of a window starts the ban, if $expire has one.
         *
         * @param string     $action 1 to 255 bytes
         * @param int        $userId 1 to PHP_INT_MAX; without strict_types also the string of such an int ("7")
         * @param int        $time   length of the window in seconds, 1 to 315,360,000 (ten years)
         * @param int        $number calls that pass in a window, 1 to 16,777,215
         * @param array|null $expire empty or null: no ban. ['type' => 1, 'ttl' => s]: the first refused call moves the
         *                           window's end to s seconds from now (1 second to ten years). ['type' => 2, 'ttl' => t]:
         *                           it moves the end to the unix time t (at most ten years from now), which may be
         *                           earlier than the window's end; a t in the past moves nothing. Numeric strings are
         *                           taken for ints.
         * @return bool true: the call passes and was counted; false: it is refused
         *
         * @throws FrequencyLimit\InvalidArgument (an \Exception; its message begins with 非法参数)
         * @throws FrequencyLimit\StoreException when the store is unavailable and ratelimit.on_failure is "throw"
         */
        public static function doHandle(string $action, int $userId, int $time, int $number, ?array $expire = []): bool {}

        /**
         * Does the same as doHandle() and returns the decision as a Result. The identity may be a string (an address, a
         * token). Both methods share their counts.
         *
         * @param int|string $id any int, or 1 to 255 bytes
         * @throws FrequencyLimit\InvalidArgument
         * @throws FrequencyLimit\StoreException
         */
        public static function check(string $action, int|string $id, int $time, int $number, ?array $expire = []): FrequencyLimit\Result {}

        /**
         * Returns the decision that check() would make now. Counts nothing and starts no ban.
         *
         * @throws FrequencyLimit\InvalidArgument
         * @throws FrequencyLimit\StoreException
         */
        public static function peek(string $action, int|string $id, int $time, int $number, ?array $expire = []): FrequencyLimit\Result {}

        /**
         * Counts a call in an exact sliding window (a sliding log). Returns true when fewer than $maxCount calls were
         * admitted in the $period seconds that end now. A refused call counts nothing. Its counts are apart from those
         * of doHandle().
         *
         * @param int|string $userId any int, or 1 to 255 bytes
         * @param string $actionKey 1 to 255 bytes
         * @param int $period   seconds, 1 to 315,360,000
         * @param int $maxCount 1 to 10,000
         * @param bool $peek    true: returns what a call would return now, and counts nothing
         * @throws FrequencyLimit\InvalidArgument
         * @throws FrequencyLimit\StoreException
         */
        public static function isActionAllowed(int|string $userId, string $actionKey, int $period, int $maxCount, bool $peek = false): bool {}

        /**
         * Bans an identity from an action by hand: doHandle() and check() refuse it until the ban ends. The ban replaces
         * the running window or ban; when it ends, a fresh window begins. It does not concern isActionAllowed().
         *
         * @param int|string $id any int, or 1 to 255 bytes
         * @param int|float|FrequencyLimit\Period|DateTimeInterface $end a number: 0.001 seconds to ten years. A Period: the
         *                            clock's next boundary, in PHP's default time zone. A moment: from now to ten years ahead.
         *                            One that is past by less than a second, as time() always is, changes nothing
         * @throws FrequencyLimit\InvalidArgument
         * @throws FrequencyLimit\StoreException
         */
        public static function ban(string $action, int|string $id, int|float|FrequencyLimit\Period|DateTimeInterface $end): void {}

        /**
         * Lifts a running ban of doHandle() and check(), by hand or by $expire; a fresh window begins. A running count
         * stays.
         *
         * @return bool true when there was a ban
         * @throws FrequencyLimit\InvalidArgument
         * @throws FrequencyLimit\StoreException
         */
        public static function unban(string $action, int|string $id): bool {}

        /**
         * Forgets the counts and the ban that doHandle(), check() and isActionAllowed() keep for an identity and an
         * action.
         *
         * @return bool true when there was a count or a ban
         * @throws FrequencyLimit\InvalidArgument
         * @throws FrequencyLimit\StoreException
         */
        public static function reset(string $action, int|string $id): bool {}

        /**
         * Forgets all counts, bans, places and cached refusals of this machine's segment, in an application's own tests. The
         * numbers of Monitor::stats() stay. Requires ratelimit.testing=1.
         *
         * @throws FrequencyLimit\StoreException unless ratelimit.testing is on; if ratelimit.store names a Redis, whose keys
         *                                       it does not touch
         */
        public static function flush(): void {}
    }
}

namespace FrequencyLimit {
    /** A period of the clock in a time zone. A week begins on Monday, unless Limit::calendar() has another $weekStart. */
    enum Period: string
    {
        case Minute = 'minute';
        case Hour = 'hour';
        case Day = 'day';
        case Week = 'week';
        case Month = 'month';
        case Quarter = 'quarter';
        case Year = 'year';
    }

    /** The reason of a decision. */
    enum Reason: string
    {
        /** The call passed and was counted. */
        case Accepted = 'accepted';
        /** The limit is used up. The call would pass after retryAfter. */
        case Limited = 'limited';
        /** The identity is banned until retryAfter is over. */
        case Banned = 'banned';
        /** The cost, together with $leave, is above the limit: the call can never pass. Nothing was written. */
        case TooExpensive = 'too_expensive';
        /** The store was unavailable; ratelimit.on_failure decided. */
        case StoreUnavailable = 'store_unavailable';
    }

    /**
     * One limit, made by a factory method. It is immutable: ban(), named(), unit(), by(), shadow() and leased() return
     * changed copies.
     *
     * Limits are 1 to 1,000,000,000,000 (10^12; of a sliding log and of places 1 to 10,000). Periods are 0.001 seconds to ten years.
     *
     * Limits of the same text are equal (==). var_export() and serialize() keep the text.
     *
     * @strict-properties
     */
    final class Limit
    {
        /** The algorithm's word in the text: "fixed", "calendar" (also of every()), "log", "window", "bucket", "concurrent" or "none". */
        public readonly string $algorithm;
        /** The largest number that is admitted; of a token bucket its burst. */
        public readonly int $limit;
        /** The period; of a concurrent limit the longest time of a place; of none() 0. Null: a calendar limit, or every(). */
        public readonly int|float|null $seconds;
        /** The period of a calendar limit; null: another one, or every(), whose interval is in the text. */
        public readonly ?Period $period;
        /** The time zone of a calendar limit, of every(), and of a ban until a period. */
        public readonly ?string $timezone;
        /** The permits that a token bucket gets every $seconds. */
        public readonly ?int $rate;
        /**
         * The $end of ban(): seconds, a period, a moment in UTC, or the times of bans that escalate. Null: no ban.
         *
         * @var int|float|Period|\DateTimeImmutable|list<int|float>|null
         */
        public readonly int|float|Period|\DateTimeImmutable|array|null $ban;
        /** The seconds after which bans that escalate are forgotten. */
        public readonly int|float|null $forget;
        /** Whether a machine takes permits of it ahead: see leased(). */
        public readonly bool $leased;
        /** Whether the limit is a shadow: see shadow(). */
        public readonly bool $shadow;
        /** The unit of its permits by unit(). */
        public readonly ?string $unit;
        /** The label of its identity by by(). */
        public readonly ?string $by;
        /** The name by named(). */
        public readonly ?string $name;

        private function __construct() {}

        /**
         * Makes a limit of its text: "log:5/15m,ban=1h,name=account". docs/settings.md has the grammar.
         *
         * @throws InvalidArgument that has the text and the mistake
         */
        public static function parse(string $text): Limit {}

        /**
         * Returns the text of the limit. Equal limits have one text: durations in their largest unit, the time zone
         * written out.
         */
        public function __toString(): string {}

        /** @throws InvalidArgument */
        public static function __set_state(array $array): Limit {}

        public function __serialize(): array {}

        /** @throws InvalidArgument */
        public function __unserialize(array $data): void {}

        /**
         * Admits at most $limit in the $seconds that begin with the first admitted call.
         *
         * @throws InvalidArgument
         */
        public static function fixedWindow(int $limit, int|float $seconds): Limit {}

        /**
         * Admits at most $limit in each minute, hour, day, week, month, quarter or year of the clock in $timezone.
         *
         * @param string|null $timezone  a name as DateTimeZone takes it; null: PHP's default one
         *                               (date_default_timezone_get()) when the limit is made
         * @param int         $weekStart of Period::Week alone: the first day of a week, 1 (Monday) to 7 (Sunday)
         * @throws InvalidArgument
         */
        public static function calendar(int $limit, Period $period, ?string $timezone = null, int $weekStart = 1): Limit {}

        /**
         * Admits at most $limit in each period of an interval that is counted from an anchor, such as a billing month. Period
         * n begins at the anchor plus n intervals, by the clock in $timezone. It is computed from the anchor: with the 31st
         * of January, months begin on 28 or 29 February, 31 March, 30 April. A time that the clock skips is the first
         * moment after the gap, and one that it shows twice is the first of both.
         *
         * @param \DateInterval      $interval years and months, or weeks and days, or hours, minutes and seconds: a minute
         *                                     to ten years. A day is one of the clock, of any number of hours; an hour is
         *                                     3,600 seconds.
         * @param \DateTimeInterface $anchor   in the years 1970 to 9999, also in the future; its whole seconds count
         * @param string|null        $timezone a name as DateTimeZone takes it; null: the anchor's own
         * @throws InvalidArgument
         */
        public static function every(int $limit, \DateInterval $interval, \DateTimeInterface $anchor, ?string $timezone = null): Limit {}

        /**
         * Admits at most $limit in every interval of $seconds, exactly. Keeps each admitted moment.
         *
         * @throws InvalidArgument
         */
        public static function slidingLog(int $limit, int|float $seconds): Limit {}

        /**
         * Admits at most $limit in every interval of $seconds, with 32 counters for any limit. It never admits one too
         * many. It may refuse for up to 1/30 of the period longer than the log would.
         *
         * @throws InvalidArgument
         */
        public static function slidingWindow(int $limit, int|float $seconds): Limit {}

        /**
         * A token bucket of $burst permits, which is refilled continuously with $rate permits every $seconds.
         *
         * @param int|null $burst capacity of the bucket; null: $rate. An empty bucket must fill within ten years.
         * @throws InvalidArgument
         */
        public static function tokenBucket(int $rate, int|float $seconds, ?int $burst = null): Limit {}

        /**
         * Holds at most $limit places at a time. Limiter::acquire() takes them; consume() and reserve() do not take such a
         * limit. A place comes free when its permit ends, and after $seconds at the latest, unless Permit::renew() moves
         * that end. On the embedded store the place of a dead worker is free at the next call. On Redis it is free within
         * a second of the next decision of that worker's machine, or after its $seconds if the whole machine is gone.
         *
         * Such a limit has no ban().
         *
         * @param int       $limit   1 to 10,000
         * @param int|float $seconds 0.001 to 315,360,000 (ten years)
         * @throws InvalidArgument
         */
        public static function concurrent(int $limit, int|float $seconds): Limit {}

        /**
         * Admits every call, for tests and for what has no limit. In a limiter with other limits it changes nothing. A limiter
         * of such limits alone asks no store: each decision is accepted, with the largest limit as $limit and $remaining, and
         * has no headers. reset(), unban() and cancel() then return false; ban() and credit() change nothing.
         * ban(), unit() and leased() of such a limit have no effect.
         */
        public static function none(): Limit {}

        /**
         * Bans an identity that exceeds this limit from the whole limiter. The first refused call starts the ban; later ones do
         * not extend it. When it ends, this limit begins anew. A later ban() replaces it.
         *
         * A list of times escalates: the first ban lasts the first of them, the n-th one the n-th, and later ones the last. After
         * $forget seconds without such a ban, counted from its end, they begin anew. Result::$level is their number. All limits
         * of a limiter with such bans share it, for each identity. unban() keeps it, and a ban by hand does not count; reset()
         * forgets it.
         *
         * @param int|float|Period|\DateTimeInterface|array $end a number: 0.001 seconds to ten years. A Period: the clock's next
         *                        boundary, in the time zone of a calendar limit, else in PHP's default one; a week begins on this
         *                        limit's day. A moment: at most ten years ahead; one in the past starts no ban. An array: 1 to 16
         *                        numbers, none below the one before it
         * @param int|float|null $forget seconds, at least the last time of the list, at most ten years; null: without a list
         * @throws InvalidArgument
         */
        public function ban(int|float|Period|\DateTimeInterface|array $end, int|float|null $forget = null): Limit {}

        /**
         * Names the limit for Result::$name and for the headers: 1 to 64 bytes of printable ASCII. A string key of the
         * array that new Limiter() takes does the same; for a limit that has another name it is an InvalidArgument.
         *
         * @throws InvalidArgument
         */
        public function named(string $name): Limit {}

        /**
         * Names the unit of the limit's permits for clients: RateLimit-Policy has it as qu, and Result::$limits as unit. It is no part of
         * what the limit counts: with another unit the count goes on.
         *
         * @param string $unit 1 to 64 bytes of printable ASCII, as "tokens". The draft names "requests", which a limit has without
         *                     unit(), and "content-bytes". Not of a concurrent limit, which has "concurrent-requests"
         * @throws InvalidArgument
         */
        public function unit(string $unit): Limit {}

        /**
         * Gives the limit an identity of its own: calls then bring one for each label, as ['tenant' => 7, 'user' => 42]. All
         * limits of a limiter have by(), or none has. Limits of one label share their state and their bans. A call is one decision
         * over all of them. On the embedded store and in a Redis Cluster, another call may be refused while a decision is under way;
         * none is ever admitted beyond a limit.
         *
         * @param string $identity a label of 1 to 64 bytes of printable ASCII
         * @throws InvalidArgument
         */
        public function by(string $identity): Limit {}

        /**
         * Makes a shadow of the limit: it is judged and counted as if it were enforced, and decides nothing. Result::$shadow
         * names it when it would have refused. It has counts of its own, and judges every call that the enforced limits
         * decide. All shadow limits of a limiter are one decision. In a Redis cluster it costs a second round trip.
         */
        public function shadow(): Limit {}

        /**
         * Lets a machine take permits of this limit from Redis ahead, as lease=auto in the DSN does for all limits, and decide from
         * its own memory while they last. All machines together never admit more than the limit. In shared memory it changes
         * nothing.
         *
         * A machine takes permits ahead only for an identity that it is asked about often, and only of limits from 1,000 on. A
         * batch is the demand of 0.2 seconds, at most an eighth of what is left, and lasts for a second at most. Permits that it does not use are
         * lost until the window ends. Only consume(), consumeMany() and allow() use such permits. Every other call, and every
         * limit whose permits cannot be given exactly, asks Redis each time (docs/limiters.md has the list). A reset() or ban()
         * takes effect at once on the machine that does it; on others when their batch is used up or over.
         */
        public function leased(): Limit {}
    }

    /**
     * The decisions and commands of Limiter, for type declarations: tests may replace a Limiter by a double of it. Each method is
     * described there.
     */
    interface LimiterInterface
    {
        /** @see Limiter::consume() */
        public function consume(int|string|array $id, int|array $cost = 1, int $leave = 0, ?int $atLeast = null): Result;

        /** @see Limiter::allow() */
        public function allow(int|string|array $id, int|array $cost = 1): bool;

        /** @see Limiter::acquire() */
        public function acquire(int|string|array $id, int|array $cost = 1, int|float $maxWait = 0, int $leave = 0, ?int $atLeast = null): Permit;

        /** @see Limiter::peek() */
        public function peek(int|string|array $id, int|array $cost = 1): Result;

        /** @see Limiter::consumeMany() */
        public function consumeMany(array $ids, int|array $cost = 1): array;

        /** @see Limiter::reserve() */
        public function reserve(int|string|array $id, int|float|\DateTimeInterface $at, int|array $cost = 1): Result;

        /** @see Limiter::cancel() */
        public function cancel(int|string|array $id, int|float|\DateTimeInterface $at, int|array $cost = 1): bool;

        /** @see Limiter::credit() */
        public function credit(int|string|array $id, int|array $cost = 1): void;

        /** @see Limiter::ban() */
        public function ban(int|string|array $id, int|float|Period|\DateTimeInterface $end): void;

        /** @see Limiter::unban() */
        public function unban(int|string|array $id): bool;

        /** @see Limiter::reset() */
        public function reset(int|string|array $id): bool;
    }

    /**
     * A named set of limits and the store of their counts. Two limiters of the same name on the same store share their
     * counts.
     *
     * $id is an identity, or of limits with by() an array of one for each label. $cost is 1 to 1,000,000,000,000 (10^12) for each
     * limit, or an array of a cost for each limit by its name: ['requests' => 1, 'tokens' => 1830]. A cost of 0 leaves that limit
     * alone; at least one is above 0, but for peek() and settle(). A label or a name that is none, or that is missing, is an InvalidArgument.
     *
     * Limiters of the same name, store and limits are equal (==).
     *
     * @strict-properties
     * @not-serializable
     */
    final class Limiter implements LimiterInterface
    {
        public readonly string $name;
        /**
         * The limits, with their names.
         *
         * @var list<Limit>
         */
        public readonly array $limits;
        /** The store of its own, the password masked; null: ratelimit.store. */
        public readonly ?string $store;

        /**
         * @param string      $name   1 to 255 bytes
         * @param Limit|array $limits 1 to 8 limits, decided together: all of them count, or none does. A string key
         *                            is the name of its limit, as by named(); an int key is not. All names must differ.
         * @param string|null $store  a DSN, as in ratelimit.store; null: that setting
         * @throws InvalidArgument
         */
        public function __construct(string $name, Limit|array $limits, ?string $store = null) {}

        /**
         * Returns the limiter that the file of ratelimit.limiters has under this name, with its limits, its store, its
         * on_failure, and its exempt and refused identities. docs/settings.md has the format. Every worker takes up a change of the file
         * within a second; a file with a mistake changes nothing. A Limiter keeps the limits that it was made with.
         *
         * A name that the file does not have is that of a limiter of define().
         *
         * @throws InvalidArgument when there is none of this name
         */
        public static function named(string $name): Limiter {}

        /**
         * Gives an application's limiter to named() and to #[RateLimit], by its name, until the end of the request, or of the process on
         * the command line. A limiter of the file that has the same name takes its place; a later definition replaces it.
         */
        public static function define(Limiter $limiter): void {}

        /**
         * Takes $cost from every limit, or from none.
         *
         * @param int      $leave   what must remain of every limit afterwards, 0 to 10^12: so that important callers keep a share
         * @param int|null $atLeast 1 to $cost: takes as much of the cost as there is, at least so much; Result::$granted has
         *                          it. null: all of the cost. Not together with costs of the limits that differ, or with several
         *                          identities
         * @throws InvalidArgument for a limiter with a concurrent limit, too: acquire() takes its places
         * @throws StoreException
         */
        public function consume(int|string|array $id, int|array $cost = 1, int $leave = 0, ?int $atLeast = null): Result {}

        /**
         * Does the same as consume() and returns whether the call passes, without a Result.
         *
         * @throws InvalidArgument
         * @throws StoreException
         */
        public function allow(int|string|array $id, int|array $cost = 1): bool {}

        /**
         * Does the same as consume() and returns a Permit, by which the cost can be settled or given back, and which holds
         * the places of concurrent limits. A refused call gets a permit that holds nothing. A line that throws its permit
         * away is a warning.
         *
         * With $maxWait, a call that would be refused books the first moment at which it passes, if that is at most so many
         * seconds away: first come, first served. Permit::$result->wait has the seconds, and Permit::wait() sleeps so long.
         * A calendar limit books at most into its next window. Where no place of a concurrent limit is free, acquire()
         * itself asks again after a short, random pause, for $maxWait at most.
         *
         * @param int|float $maxWait 0 to 315,360,000 seconds; 0 with several identities
         * @param int       $leave   as in consume()
         * @param int|null  $atLeast as in consume(); not together with $maxWait
         * @throws InvalidArgument
         * @throws StoreException
         */
        public function acquire(int|string|array $id, int|array $cost = 1, int|float $maxWait = 0, int $leave = 0, ?int $atLeast = null): Permit {}

        /**
         * Returns the decision that consume() would make now. Counts nothing.
         *
         * @param int|array $cost also 0: the state as it is, without one more call. It is accepted unless the identity is
         *                  banned; $remaining is what is left, and $nextAfter has the time until the next call passes
         * @throws InvalidArgument
         * @throws StoreException
         */
        public function peek(int|string|array $id, int|array $cost = 1): Result {}

        /**
         * Does consume() for each identity on its own, in one round trip (in a cluster one to each node, all at once).
         * The store's timeout bounds it as a whole: raise it for thousands of identities. Not for limits with by().
         *
         * @param array $ids ints and strings; the results have the same keys, in the same order
         * @return Result[]
         * @throws InvalidArgument before anything is counted
         * @throws StoreException
         */
        public function consumeMany(array $ids, int|array $cost = 1): array {}

        /**
         * Books a moment, now or up to ten years ahead, if every interval that contains it keeps its limit. For
         * limiters of calendar and sliding-log limits only, that share one identity.
         *
         * @param int|float|\DateTimeInterface $at a unix time or a moment. One that is past by less than a second, as
         *                                         time() always is, is taken for now.
         * @throws InvalidArgument for a moment that is past, or a limit of another algorithm
         * @throws StoreException
         */
        public function reserve(int|string|array $id, int|float|\DateTimeInterface $at, int|array $cost = 1): Result {}

        /**
         * Gives a booked moment back. False when it was not booked.
         *
         * @throws InvalidArgument
         * @throws StoreException
         */
        public function cancel(int|string|array $id, int|float|\DateTimeInterface $at, int|array $cost = 1): bool {}

        /**
         * Gives back up to $cost permits of what is counted now, in every limit and never above it. Moves no window.
         * It is a gift to what runs now, not tied to an earlier call: if the window of that call is over, the running
         * one admits more. A concurrent limit has nothing to give back.
         *
         * @throws InvalidArgument
         * @throws StoreException
         */
        public function credit(int|string|array $id, int|array $cost = 1): void {}

        /**
         * Bans an identity by hand, or each of those that $id has, for one label or more. Replaces a running ban.
         *
         * With $network, an identity is a network, and every address and network in it is banned: "203.0.113.0/24", "2001:db8::/32". The
         * shared memory of this machine keeps such a ban, whatever the store; refuse= in the file of ratelimit.limiters does the
         * same for all machines. Without $network a text is one identity, whatever it looks like: clients may have chosen it.
         *
         * @param int|float|Period|\DateTimeInterface $end as of FrequencyLimit::ban()
         * @throws InvalidArgument
         * @throws StoreException also where the shared memory has no room for a network
         */
        public function ban(int|string|array $id, int|float|Period|\DateTimeInterface $end, bool $network = false): void {}

        /**
         * Lifts a ban, or those of each identity that $id has; counts stay. True when there was one.
         *
         * @throws InvalidArgument
         * @throws StoreException
         */
        public function unban(int|string|array $id): bool {}

        /**
         * Forgets the counts and the ban of an identity, or of each one that $id has. True when there were any.
         *
         * @throws InvalidArgument
         * @throws StoreException
         */
        public function reset(int|string|array $id): bool {}
    }

    /**
     * The permits that Limiter::acquire() has taken, and its place in line. It ends once: by release(), settle(), cancel(),
     * with the object, or with the request (also after exit(), a fatal error or a timeout). A method that is called after
     * that changes nothing and returns false, settle() null. So does every method of a refused permit, and, after a fork, of one of
     * the parent process.
     *
     * The end of the object ends the permit as release() does, or as cancel() before its turn.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Permit
    {
        /** The decision. Its $wait is the time until the permit's turn. */
        public readonly Result $result;

        private function __construct() {}

        /**
         * Makes a permit of a decision that no store has made, for tests: a double. It is live if $result was accepted, and
         * ends once as any other. wait() sleeps $result->wait seconds. settle($cost) returns the decision with $granted = $cost.
         * renew() is true until the permit has ended.
         */
        public static function of(Result $result): Permit {}

        /**
         * Sleeps until the permit's turn. A signal wakes it, as it wakes sleep(). With a frozen Clock it moves that on.
         *
         * @return bool true: it is the permit's turn. false: a signal came first, and the place in line is kept until the
         *              permit ends; or the permit has ended
         */
        public function wait(): bool {}

        /**
         * Ends the permit. Its concurrent places come free; what was charged stays charged.
         *
         * @return bool false: the permit had ended, or its places had come free after their seconds
         * @throws StoreException when the places could not be freed; they come free after their seconds
         */
        public function release(): bool {}

        /**
         * Ends the permit with its true cost. If that is less than what was charged, the difference goes back to where it
         * was taken: to the same window, log entries or bucket, and to nothing if that is over. If it is more, the
         * difference is charged now, even where the limit is used up: the limit then refuses until it has recovered.
         * Concurrent places come free.
         *
         * @param int|array $cost 0 to 10^12, or a cost for each limit by its name
         * @return Result|null the state afterwards, with $granted = $cost (of several, the deciding limit's); null: the permit
         *                     had ended
         * @throws InvalidArgument
         * @throws StoreException when the store did not answer; what was charged stays charged
         */
        public function settle(int|array $cost): ?Result {}

        /**
         * Ends the permit as if it had never been: settle(0).
         *
         * @return bool false: the permit had ended
         * @throws StoreException when the store did not answer; what was charged stays charged
         */
        public function cancel(): bool {}

        /**
         * Moves the end of its concurrent places to $seconds from now. It never revives a place that came free.
         *
         * @param int|float|null $seconds 0.001 to 315,360,000; null: those of each limit
         * @return bool false: the permit has ended, its places have come free, or it has none; of Limit::none() alone: true
         * @throws InvalidArgument
         * @throws StoreException
         */
        public function renew(int|float|null $seconds = null): bool {}
    }

    /**
     * A decision. Limiters and FrequencyLimit make one; tests make one by of(). As a bool it has the value of $accepted, and is a
     * warning, once for each line; so is a Permit.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Result
    {
        public readonly bool $accepted;
        public readonly Reason $reason;
        /** The maximum of the deciding limit: the one that refused, or else the one with the least remaining. */
        public readonly int $limit;
        /** The remaining permits of the deciding limit, 0 to $limit; of this machine's batch with $store "lease". */
        public readonly int $remaining;
        /**
         * Seconds until this very call would pass; 0.0 when it passed; null: never. With $store "cache": at most a round
         * trip too many. Of a refusal by a concurrent limit it is the upper bound: a place may come free earlier.
         */
        public readonly ?float $retryAfter;
        /**
         * Seconds until the deciding limit is whole again. With $store "cache": as $retryAfter; with "lease": until this
         * machine's batch ends, a second at most.
         */
        public readonly float $resetAfter;
        /**
         * Seconds until a call with a cost of 1 passes, after this decision; 0.0: now. Of a refusal: $retryAfter. Of reserve(),
         * and of a permit that waits in line: to the first that comes at the booked moment or later. Of a concurrent limit it is
         * the upper bound. With $store "lease" it is 0.0: this machine asks Redis next. Null: never.
         */
        public readonly ?float $nextAfter;
        /** The deciding limit's name. */
        public readonly ?string $name;
        /**
         * The store that decided: "shm", "redis", "local" (Redis was unavailable), "cache" (the deny cache), "lease" (a
         * batch of permits that this machine has leased from Redis), "exempt" or "refuse". The last two are no store: the file
         * of ratelimit.limiters exempts or refuses the identity, or its network is banned. With Reason::StoreUnavailable: the
         * store that failed.
         */
        public readonly string $store;
        /**
         * The cost that was counted; less than what was asked for with $atLeast; of several, the deciding limit's. 0: refused.
         * Of a call that passes because its refusal is a shadow's, or because of ratelimit.enforce=0: the cost, uncounted.
         */
        public readonly int $granted;
        /** Seconds until the turn of a permit that waits in line; 0.0: now. */
        public readonly float $wait;
        /**
         * The shadow limit that would have refused the call: its name, or its text; of check() its action. Null: none. With
         * ratelimit.enforce=0 every limit is a shadow: the call passes, and this names the limit that would have refused.
         */
        public readonly ?string $shadow;
        /**
         * The bans that escalate (Limit::ban()) that have begun and are not forgotten, after the decision; 0: none. Always 0 with
         * $store "lease" and with Reason::StoreUnavailable.
         */
        public readonly int $level;
        /**
         * Every limit that was decided together, in the limiter's order: its name, its number and the permits that remain. Then come
         * the seconds until it is whole again, the unit of its permits ("requests" without Limit::unit(), "concurrent-requests" of a
         * concurrent limit), and the seconds of its window, 0.0 of a concurrent limit. The deciding limit's entry has $remaining and
         * $resetAfter; the others are as if no ban ran, and null where they are not known: with $store "cache", "exempt" and
         * "refuse", and with Reason::StoreUnavailable. After Permit::settle() those of other identities (Limit::by()) are null, too.
         * Of shadows and with ratelimit.enforce=0: [], as of Limit::none().
         *
         * @var list<array{name: ?string, limit: int, remaining: ?int, resetAfter: ?float, unit: string, window: float}>
         */
        public readonly array $limits;

        private function __construct() {}

        /**
         * Makes a decision that no store has made, for tests and adapters.
         *
         * @param Reason         $reason     StoreUnavailable is refused, unless $granted is above 0
         * @param int            $limit      1 to 1,000,000,000,000
         * @param int|null       $remaining  0 to $limit; null: 0 of a refusal, $limit of one that passes while the store is unavailable,
         *                                   else $limit - 1
         * @param int|float|null $retryAfter 0 to 315,360,000 seconds; null: $window. Only of a refusal, and not of TooExpensive
         * @param int|float|null $resetAfter 0 to 315,360,000 seconds; null: $retryAfter, else $window
         * @param int|float|null $nextAfter  0 to 315,360,000 seconds; null: 0.0 while some remain, else $resetAfter. Only of an
         *                                   accepted decision
         * @param string|null    $name       the deciding limit's, 1 to 64 bytes of printable ASCII
         * @param string         $store      "shm", "redis", "local", "cache", "lease", "exempt" or "refuse"
         * @param int|null       $granted    0 to 1,000,000,000,000, of a refusal 0; null: 1 of an accepted decision, else 0
         * @param int|float      $wait       0 to 315,360,000 seconds
         * @param int|float      $window     the length of the limit's window for the headers, 0 to 315,360,000 seconds; 0: a
         *                                   concurrent limit
         * @throws InvalidArgument
         */
        public static function of(Reason $reason = Reason::Accepted, int $limit = 1, ?int $remaining = null, int|float|null $retryAfter = null, int|float|null $resetAfter = null, int|float|null $nextAfter = null, ?string $name = null, string $store = "shm", ?int $granted = null, int|float $wait = 0, int|float $window = 60): Result {}

        /** Returns this Result, if it was accepted. @throws LimitExceeded when the call was refused */
        public function ensureAccepted(): static {}

        /**
         * Returns RateLimit-Policy and RateLimit as draft-ietf-httpapi-ratelimit-headers-11 has them, and Retry-After when the call was
         * refused and can pass later (whole seconds, rounded up, at least 1). A decision of Limit::none(), of shadow limits alone,
         * and one with ratelimit.enforce=0, have no headers.
         *
         * @param bool $legacy true: also X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset, which is a unix time:
         *                     when the refused call passes, or else when the limit is whole again. In RateLimit the deciding limit
         *                     gets the parameters ratelimit-limit, ratelimit-remaining and ratelimit-reset (seconds), which
         *                     readers of earlier drafts understand
         * @return array<string, string> header name => value
         */
        public function headers(bool $legacy = false): array {}

        /** Returns the HTTP status: 200 accepted, 429 refused, 503 refused because the store was unavailable. */
        public function status(): int {}

        /**
         * Returns the problem details of a refusal (RFC 9457), for a body of the type application/problem+json.
         *
         * @return array<string, mixed> type, title, status and detail; retry_after in seconds, unless the call never passes;
         *                              violated-policies, the name of the limit, unless the store was unavailable
         * @throws \LogicException when the call was accepted
         */
        public function problem(): array {}

        /**
         * Returns the time until the call passes, for people: "in 59 minutes", rounded up; "now" of an accepted call; "never".
         * In seconds below two minutes, in minutes below two hours, in hours below two days, else in days.
         */
        public function retryText(): string {}

        /**
         * Answers the request that is being served: sends headers() and, on a refusal, status() and problem() as JSON. The
         * script continues. After an accepted decision it sends the headers alone.
         *
         * Several decisions of a request add up: the headers list the limits of all of them, by name, and Retry-After is the
         * longest. The first refusal sets the body. If that has left for the client already, later ones change nothing.
         *
         * @param bool $legacy as in headers(), of the last decision
         * @throws \LogicException when headers were already sent
         */
        public function send(bool $legacy = false): void {}
    }

    /**
     * The request of the attributes: its user, its client, its latest decision.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Request
    {
        private function __construct() {}

        /**
         * Begins a request, in a process that serves many of them (Swoole, RoadRunner, amp, ReactPHP, Octane): forgets the
         * resolver and the latest decision. Each fiber and each coroutine of Swoole has a request of its own: one that has
         * not called this has none. It ends with end(), with the next begin() there, or with the fiber.
         *
         * After the first call, a limited call outside of every request has no user and the client "nobody"; the first
         * one in a process is a warning. Where PHP serves the request itself (FPM, Apache, FrankenPHP), there is no need
         * to call this; it then sets the address and the path of that request.
         *
         * @param string|null $address      the peer's address, with or without a port; null: the web server's REMOTE_ADDR.
         *                                  "" or "unix:...": a unix socket, whose client is "local"
         * @param string|null $path         a path or a URI, which are counted apart; null: the web server's
         * @param string|null $forwardedFor the header X-Forwarded-For, which is read if $address is one of
         *                                  ratelimit.trusted_proxies; without $address it is not read
         * @throws InvalidArgument if $address is no address; nothing has changed
         * @throws \Error while opcache preloads
         */
        public static function begin(?string $address = null, ?string $path = null, ?string $forwardedFor = null): void {}

        /** Ends this fiber's request: forgets its resolver, its client and its latest decision. */
        public static function end(): void {}

        /**
         * Sets the resolver of this request's user. Each limited call of the request calls it without arguments. It returns
         * the user's id (any int, or 1 to 255 bytes), or null when no user is logged in. A private method is allowed where
         * this call may call it. Null instead of a resolver removes it: there is no user. Of a resolver that returns anything
         * else a limited call is a TypeError; one that the resolver throws is the call's.
         *
         * @throws \Error while opcache preloads
         */
        public static function identifyBy(?callable $resolver): void {}

        /**
         * Returns the address of this request's client, for limiters of your own. An IPv6 address is its network of
         * ratelimit.ipv6_prefix ("2001:db8::/64"). Behind a proxy that ratelimit.trusted_proxies lists, it is the one from
         * X-Forwarded-For. "local": there is no address, as on the command line. "nobody": there is no request, see begin().
         */
        public static function clientAddress(): string {}

        /**
         * Returns the latest decision about a limited call of this request, for the headers of an answer that was not
         * refused: Request::lastResult()?->send(). Null: no limited function was called.
         */
        public static function lastResult(): ?Result {}
    }

    /**
     * Limits a function: #[AccessLimit(seconds: 60, maxCount: 5)]. Of each identity's calls, $maxCount pass in $seconds
     * from the first one that passed (a fixed window). The next one throws before the body runs, in every way of calling,
     * unless ratelimit.attributes is 0.
     *
     * On functions, methods (also of traits, and as inherited), closures, arrow functions and property hooks. Several
     * attributes of one function are decided together: all of them count, or none does. Wrong arguments are compile
     * errors. Constant expressions are evaluated at the first call, and a wrong value is an InvalidArgument.
     *
     * The identity is the user's id from Request::identifyBy()'s resolver, or else the client's address. The count's name is
     * the function together with the request's path (on the command line the function alone), or the $action, which several
     * functions may have. new Limiter($action, ...) shares the count of an action: users by their ids, clients as
     * "ip:$address".
     *
     * @strict-properties
     * @not-serializable
     */
    final class AccessLimit
    {
        public readonly int|float $seconds;
        public readonly int $maxCount;
        public readonly bool $needLogin;
        public readonly ?string $action;

        /**
         * @param int|float   $seconds   the length of the window, 0.001 to 315,360,000 (ten years)
         * @param int         $maxCount  the number of calls that pass in a window, 1 to 16,777,215
         * @param bool        $needLogin true: a call without a user is LoginRequired, and is not counted
         * @param string|null $action    1 to 255 bytes; the same in all attributes of a function
         * @throws InvalidArgument
         */
        public function __construct(int|float $seconds, int $maxCount = 5, bool $needLogin = false, ?string $action = null) {}

        /**
         * Decides the call of the calling function. PHP calls it in front of the body of a function that has the
         * attribute; there is no need to call it.
         *
         * @throws LimitExceeded
         * @throws LoginRequired
         * @throws InvalidArgument
         * @throws StoreException
         */
        public static function enforce(): void {}

        /** Warns of each attribute whose name means a class that does not exist. PHP calls it at the end of a request. */
        private static function reportUnresolved(): void {}
    }

    /**
     * Limits the calls of a function that run at once: #[ConcurrencyLimit(limit: 2, seconds: 600)]. Each call takes a place
     * of its identity and holds it while the function runs. The place comes free when the function ends: by a return, an
     * exception, exit(), or the end of its generator, and at the latest with the request or after $seconds. A call without
     * a free place throws LimitExceeded before the body runs.
     *
     * Targets, identity, name and errors are those of AccessLimit. Both attributes of one function are decided together: all
     * of them count, or none does. A recursive call takes a place of its own.
     *
     * @strict-properties
     * @not-serializable
     */
    final class ConcurrencyLimit
    {
        public readonly int $limit;
        public readonly int|float $seconds;
        public readonly bool $needLogin;
        public readonly ?string $action;

        /**
         * @param int         $limit     the number of places, 1 to 10,000
         * @param int|float   $seconds   a place comes free after them in any case, 0.001 to 315,360,000 (ten years)
         * @param bool        $needLogin true: a call without a user is LoginRequired, and takes no place
         * @param string|null $action    1 to 255 bytes; the same in all attributes of a function
         * @throws InvalidArgument
         */
        public function __construct(int $limit, int|float $seconds, bool $needLogin = false, ?string $action = null) {}

        /**
         * Decides the call of the calling function, and returns what it holds. PHP calls it in front of the body of a
         * function that has the attribute; there is no need to call it.
         *
         * @return Permit|null null: the calling function has no ConcurrencyLimit
         * @throws LimitExceeded
         * @throws LoginRequired
         * @throws InvalidArgument
         * @throws StoreException
         */
        public static function enforce(): ?Permit {}
    }

    /**
     * Limits a function by the limiters of these names: #[RateLimit('login', cost: 5)]. Each is a limiter of the file of
     * ratelimit.limiters, or one of Limiter::define(), with limits of any algorithm. A call takes the cost from each of its limits,
     * and holds its concurrent places while the function runs. A refused call throws LimitExceeded before the body runs.
     *
     * On the targets of AccessLimit, and on classes: there it limits the public methods that the class itself declares, but none whose
     * name begins with "__", other than __invoke(). A call of such a method within another one on the same object is not charged again;
     * a static one counts as on each object of the class. All attributes of a function and of its class are decided together: all of
     * them count, or none does. They have at most 8 limits, and one store.
     *
     * The identity is that of AccessLimit: the user's id, or else "ip:" and the client's address. Limiter::named($name) has the same
     * counts. A name that is nowhere is an InvalidArgument at the first call.
     *
     * @strict-properties
     * @not-serializable
     */
    final class RateLimit
    {
        public readonly string $name;
        public readonly int|array $cost;
        public readonly string|array|null $id;
        public readonly bool $needLogin;

        /**
         * @param string            $name      1 to 255 bytes; another one in each attribute of a function
         * @param int|array         $cost      1 to 10^12; or a cost for each limit by its name, as of Limiter::consume()
         * @param string|array|null $id        the name of the parameter that has the identity, an int or a string of 1 to 255 bytes; of
         *                                     limits with by(), an array of such names by labels. Null, and a label without one: the
         *                                     user or the client
         * @param bool              $needLogin true: a call without a user is LoginRequired, and is not counted
         * @throws InvalidArgument
         */
        public function __construct(string $name, int|array $cost = 1, string|array|null $id = null, bool $needLogin = false) {}

        /**
         * Decides the call of the calling function, and returns what it holds. PHP calls it in front of the body of a
         * function that has the attribute; there is no need to call it.
         *
         * @param bool $class true: the attributes of its class take part
         * @return Permit|null null: the limiters have no concurrent limit
         * @throws LimitExceeded
         * @throws LoginRequired
         * @throws InvalidArgument
         * @throws StoreException
         */
        public static function enforce(bool $class = false): ?Permit {}
    }

    /**
     * Reads, for operators, what this machine has decided: its numbers, refused callers, running bans, last hour.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Monitor
    {
        private function __construct() {}

        /**
         * Returns the numbers of this machine's segment since it was made, of all workers that share it.
         *
         * @return array{
         *     store: string, segment: string, bytes: int, slots: int, slots_used: int, records: int,
         *     records_used: int, decisions: int, refusals: int, bans: int, evictions: int, bans_evicted: int, errors: int,
         *     redis_decisions: int, redis_refusals: int, redis_errors: int, fallbacks: int, permits_owed: int,
         *     permits_told: int, permits_lost: int, cached: int, leased: int,
         *     places_unnoted: int, workers: int,
         *     servers: list<array{server: string, state: string, since: float, failures: int, latency: float}>,
         *     warnings: list<string>
         * }
         * - store: the DSN in use, its password masked.
         * - segment: "user" (the memory that all PHP processes of this user share), "file" (ratelimit.shm_path), "memory" (of
         *   this process and its children) or "none".
         * - bytes: the segment's size. slots: entries of its table, one an identity. records: bytes for larger states.
         * - decisions, refusals, bans, evictions, errors: of the embedded store. fallbacks: decisions by ratelimit.on_failure.
         * - permits_owed: permits of limits that the fallback has admitted without a request to Redis. permits_told: those of
         *   them that a later request has told Redis. permits_lost: those whose request got no reply, and bookings.
         * - bans_evicted: running bans among the evictions. Bans have half of the records and three quarters of the slots at
         *   most; beyond, one that ends early makes room.
         * - cached: refusals of Redis from the deny cache. leased: decisions from leased permits (Limit::leased()).
         * - places_unnoted: places in Redis that only their end frees if their worker is killed: one worker has room for
         *   14 to 127, by the length of their names.
         * - servers: the Redis servers in use, in a cluster also each node. "server" is the DSN, its password masked,
         *   and the node. "state" is that of the circuit breaker: "closed" (requests go to the server), "open" (it
         *   is away; no requests but probes) or "half-open" (one worker probes it). "since" is the time in
         *   seconds since it failed, came back or was first used. "failures" are failed requests. "latency" is the
         *   moving average of a request's time, in seconds.
         * - warnings: mistakes in this process' configuration, with what is used instead: refused settings, a
         *   ratelimit.shm_path that cannot be used. Empty when all is well.
         */
        public static function stats(): array {}

        /**
         * Returns what was decided on this machine since the segment was made, by name: of each Limiter, each action of
         * doHandle(), check() and isActionAllowed(), and each function with an attribute. The most refused come first. 256
         * names have counts of their own (fewer where ratelimit.shm_size is below 16M); the last row, of kind "other", has
         * those of all further ones.
         *
         * @return list<array{
         *     kind: string, name: string, decisions?: int, refused: int, banned: int, shadow: int, near: int, fallback: int,
         *     errors: int,
         *     limits: list<array{name: string, refused: int, shadow: int, banned: int}>
         * }>
         * - kind: "limiter", "action", "attribute" or "other".
         * - decisions: all decided calls, refused ones among them. An action has none: its admitted calls are not counted.
         *   For a rate of refusals take a named Limiter.
         * - banned: bans begun. A ban that Redis begins until a moment counts on each machine that meets it.
         * - shadow: calls that a shadow limit, or any limit with ratelimit.enforce=0, would have refused.
         * - near: admitted with less than a tenth of the limit left.
         * - fallback: decided by ratelimit.on_failure. errors: a StoreException instead of a decision.
         * - limits: those that have refused, by name or text (64 bytes of it).
         */
        public static function limiters(): array {}

        /**
         * Returns who is refused most on this machine, now and in the last minutes: a name and an identity each, the most
         * refused first. The numbers are estimates; older refusals count half after each 2 minutes. Empty where
         * ratelimit.top is off.
         *
         * @param int $count 1 to 1000; at most 2048 are kept (at ratelimit.shm_size=32M)
         * @return list<array{
         *     kind: string, name: string, by: string|null, identity: int|string, elsewhere: bool, refusals: int, error: int,
         *     limit: string|null, last: float
         * }>
         * - by: the label of the identity, where the limits have identities of their own (Limit::by()).
         * - elsewhere: whether it is a Limiter with another store than ratelimit.store.
         * - refusals: the true number is within refusals - error and refusals + error.
         * - name, identity: of a longer one the first 96 and 112 bytes, and "…".
         * - limit: the limit of a Limiter that refused last. last: when, as a unix time.
         * @throws InvalidArgument
         */
        public static function top(int $count = 10): array {}

        /**
         * Returns the running bans that began on this machine, those that end last first: by a limit, by $expire, and by
         * hand. Not in it: bans that began while ratelimit.top was off, but for those of networks, bans that began on other machines, and the ones that found no
         * room among 2048 (at ratelimit.shm_size=32M). unban() and reset() remove a ban.
         *
         * @param int $count 1 to 1000
         * @return list<array{
         *     kind: string, name: string, by: string|null, identity: int|string, elsewhere: bool, end: float, level: int
         * }>
         * - by, elsewhere: as in top(). end: a unix time. level: of bans that escalate (Limit::ban()); else 0.
         * @throws InvalidArgument
         */
        public static function bans(int $count = 100): array {}

        /**
         * Returns what was decided on this machine in the last hour, a row for each minute, the oldest first. A minute
         * without a decision on a slow path (doHandle() in a running window takes the fast one) is part of the row before.
         *
         * @return list<array{
         *     time: float, seconds: float, decisions: int, refused: int, banned: int, fallback: int, errors: int
         * }>
         * - time: when the row begins, as a unix time. seconds: its length; the last row goes on.
         */
        public static function history(): array {}

        /**
         * Returns the numbers of stats() and limiters(), and of each Redis server, as OpenMetrics text, which Prometheus reads.
         * Its content type is application/openmetrics-text; version=1.0.0; charset=utf-8. Names of limiters and actions are
         * in it, identities are not.
         */
        public static function metrics(): string {}

        /**
         * Calls a function after each decision, in this request: $listener(string $name, int|string $identity, Result
         * $result). The name is that of the limiter, the action, or the count of the attribute. doHandle() takes no fast path
         * while there is a listener. A later call replaces the listener; null removes it.
         *
         * The decision stands when the listener is called. An exception of the listener reaches the caller in place of the
         * result. A decision that the listener asks for does not call it again, nor do peeks, commands and exempt identities. With
         * $reasons only decisions with one of these reasons call it.
         *
         * @param callable|null $listener function (string $name, int|string $identity, Result $result): void
         */
        public static function listen(?callable $listener, Reason ...$reasons): void {}

        /**
         * Checks, before a deployment, what would go wrong: asks each store of ratelimit.store and of the file of
         * ratelimit.limiters for decisions of each kind, whether it evicts, and what time it is there. `bin/ratelimit check` prints
         * the result.
         *
         * @param int $identities 0 to 1,000,000,000: identities at a time, for which the segment must have room: those of
         *                        doHandle(), and those of each limiter of the file that is on the store "shm:"
         * @return array{settings: list<string>, stores: list<string>}
         * - settings: refused settings, a file of limiters with a mistake, no shared memory or too little, a Redis that evicts
         *   bans, or whose clock differs from this machine's by more than a second.
         * - stores: the Redis servers that do not answer, are replicas, lack rights or are too old, each with the reason.
         * @throws InvalidArgument
         */
        public static function preflight(int $identities = 0): array {}

        /**
         * Returns the next page of the keys that ratelimit.store has on Redis, for an operator's tools such as `bin/ratelimit
         * bans`. It reads the whole keyspace with SCAN, page by page, and requires that right: not for requests of visitors.
         * A key may come twice. The store "shm:" has no keys.
         *
         * @param string $position "": the first page; else the "next" of the last one
         * @return array{next: string, keys: list<array{kind: 'action'|'limiter', name: string, by: string|null, identity: int|string}>}
         * - next: "": this was the last page. by: as in top().
         * @throws InvalidArgument
         * @throws StoreException
         */
        public static function scan(string $position = ""): array {}
    }

    /**
     * Drives the clock of the embedded store in an application's own tests: windows, bans and expiry. It holds for this
     * process and its later forks. Requires ratelimit.testing=1, which a script on the command line may set by ini_set().
     * Redis has its own time: a decision on Redis while the clock is frozen is a StoreException.
     *
     * @strict-properties
     * @not-serializable
     */
    final class Clock
    {
        private function __construct() {}

        /**
         * Stops the clock.
         *
         * @param int|float|null $at a unix time, until the year 9999; null: now
         *
         * @throws InvalidArgument
         * @throws StoreException unless ratelimit.testing is on
         */
        public static function freeze(int|float|null $at = null): void {}

        /**
         * Moves a frozen clock ahead, by 0 seconds to ten years, and by seventeen years in all.
         *
         * @throws InvalidArgument
         * @throws StoreException unless frozen
         */
        public static function advance(int|float $seconds): void {}

        /**
         * Moves the clock to a moment, and stops it there: calendars, and durations by as much. Back in time, durations stand
         * still, to the millisecond: a window that runs keeps the time that it has left. A clock that was not frozen moves from the present.
         *
         * @param int|float|\DateTimeInterface $at a unix time or a moment, 1970 to 9999; durations move at most seventeen years
         *                                         ahead in all
         * @throws InvalidArgument
         * @throws StoreException unless ratelimit.testing is on
         */
        public static function travelTo(int|float|\DateTimeInterface $at): void {}

        /** Lets the clock run again, at the true time. */
        public static function unfreeze(): void {}
    }

    /**
     * Thrown by Result::ensureAccepted() and by the attributes. Its code is 429. Its message is for developers:
     * it has the names of the limiter and the limit, and an identity that is an int.
     *
     * In a web request, one that no code catches is answered with the status 429, the headers and the problem details of
     * Result::send(), and is not logged. An exception handler of the application comes first. On the command line it is an
     * uncaught exception as any other.
     *
     * @not-serializable
     */
    final class LimitExceeded extends \RuntimeException
    {
        public readonly Result $result;

        /**
         * @param Result      $result  a refused one
         * @param string|null $message null: one that describes the refusal
         * @throws InvalidArgument if $result was accepted
         */
        public function __construct(Result $result, ?string $message = null) {}

        public function __toString(): string {}
    }

    /**
     * Thrown by an attribute with needLogin: true when no user is logged in, with the code 401. In a web request, one that no
     * code catches is answered with the status 401 and problem details, as LimitExceeded with 429.
     */
    final class LoginRequired extends \RuntimeException
    {
        public function __toString(): string {}
    }

    /** A bad argument; the message begins with 非法参数. */
    class InvalidArgument extends \InvalidArgumentException
    {
    }

    /**
     * The store is unavailable, or a key has a value that ratelimit did not write. Also a method for tests that
     * ratelimit.testing does not permit.
     */
    class StoreException extends \RuntimeException
    {
    }
}
