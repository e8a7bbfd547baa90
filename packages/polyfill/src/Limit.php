<?php

declare(strict_types=1);

namespace FrequencyLimit;

use DateInterval;
use DateTimeImmutable;
use DateTimeInterface;
use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Arithmetic;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\BanSteps;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Calendar;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\Limit\Interval;
use FrequencyLimit\Polyfill\Limit\LimitData;
use FrequencyLimit\Polyfill\Limit\LimitParser;
use FrequencyLimit\Polyfill\Limit\LimitText;
use FrequencyLimit\Polyfill\Sealed;
use FrequencyLimit\Polyfill\Time;

/**
 * One limit, made by a factory method. It is immutable: ban(), named(), unit(), by(), shadow() and
 * leased() return changed copies.
 *
 * Limits are 1 to 1,000,000,000,000 (10^12; of a sliding log and of places 1 to 10,000). Periods are 0.001 seconds to ten years.
 *
 * Equal limits are equal (==). serialize() keeps the text.
 */
final class Limit
{
    use Sealed;

    /** The algorithm's word in the text: "fixed", "calendar", "log", "window", "bucket" or "concurrent". */
    public readonly string $algorithm;
    /** The largest number that is admitted; of a token bucket its burst. */
    public readonly int $limit;
    /** The period; of a concurrent limit the longest time of a place. Null: a calendar limit. */
    public readonly int|float|null $seconds;
    /** The period of a calendar limit. */
    public readonly ?Period $period;
    /** The time zone of a calendar limit, and of a ban until a period. */
    public readonly ?string $timezone;
    /** The permits that a token bucket gets every $seconds. */
    public readonly ?int $rate;
    /**
     * The $end of ban(): seconds, a period, a moment in UTC, or the times of bans that escalate. Null: no ban.
     *
     * @var int|float|Period|DateTimeImmutable|list<int|float>|null
     */
    public readonly int|float|Period|DateTimeImmutable|array|null $ban;
    /** The seconds after which bans that escalate are forgotten. */
    public readonly int|float|null $forget;
    /** Whether the limit is leased: see leased(). */
    public readonly bool $leased;
    /** Whether the limit is a shadow: see shadow(). */
    public readonly bool $shadow;
    /** The unit of its permits by unit(). */
    public readonly ?string $unit;
    /** The label of its identity by by(). */
    public readonly ?string $by;
    /** The name by named(). */
    public readonly ?string $name;

    private LimitData $data;

    private function __construct(LimitData $data)
    {
        $rule = $data->rule;
        $this->data = $data;
        $this->algorithm = LimitText::algorithm($rule);
        $this->limit = $rule->limit;
        $this->seconds = $rule->calendar > 0 ? null : self::inSeconds($rule->period);
        $this->period = Period::tryFrom(LimitText::period($rule->calendar));
        $this->timezone = $rule->calendar > 0 || $data->banPeriod > 0 ? $data->zone : null;
        $this->rate = $rule->rate > 0 ? $rule->rate : null;
        $this->ban = match ($rule->banKind) {
            BanKind::FOR => self::inSeconds($rule->banUs),
            BanKind::UNTIL => Period::tryFrom(LimitText::period($data->banPeriod)) ?? Time::date($rule->banUs),
            BanKind::STEPS => array_map(self::inSeconds(...), $rule->steps->times ?? []),
            default => null,
        };
        $this->forget = $rule->steps === null ? null : self::inSeconds($rule->steps->forget);
        $this->leased = $rule->leased;
        $this->shadow = $data->shadow;
        $this->unit = $data->unit;
        $this->by = $data->by;
        $this->name = $data->name;
    }

    private static function inSeconds(int $us): int|float
    {
        return $us % 1_000_000 === 0 ? intdiv($us, 1_000_000) : $us / 1e6;
    }

    /**
     * Makes a limit of its text: "log:5/15m,ban=1h,name=account". docs/settings.md of ratelimit has the grammar.
     *
     * @throws InvalidArgument that has the text and the mistake
     */
    public static function parse(string $text): Limit
    {
        return LimitParser::parse($text);
    }

    /**
     * Returns the text of the limit. Equal limits have one text: durations in their largest unit, the time zone written out.
     */
    public function __toString(): string
    {
        return LimitText::write($this->data);
    }

    /** @param array<mixed> $array */
    public static function __set_state(array $array): Limit
    {
        return ($array['data'] ?? null) instanceof LimitData ? new self($array['data']) : LimitParser::parse(self::textOf($array));
    }

    /** @return array{text: string} */
    public function __serialize(): array
    {
        return ['text' => LimitText::write($this->data)];
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        $this->__construct(Access::limitData(LimitParser::parse(self::textOf($data))));
    }

    /** @param array<mixed> $array of serialize() or of var_export() */
    private static function textOf(array $array): string
    {
        $text = $array['text'] ?? null;
        return \is_string($text) ? $text : throw Argument::invalid("the array of a FrequencyLimit\\Limit must have a string under 'text', "
            . (\array_key_exists('text', $array) ? get_debug_type($text) : 'nothing') . ' given');
    }

    /**
     * Admits at most $limit in the $seconds that begin with the first admitted call.
     *
     * @throws InvalidArgument
     */
    public static function fixedWindow(int $limit, int|float $seconds): Limit
    {
        return self::windowed(Algorithm::FIXED_WINDOW, $limit, $seconds);
    }

    /**
     * Admits at most $limit in each minute, hour, day, week, month, quarter or year of the clock in $timezone.
     *
     * @param string|null $timezone  a name as DateTimeZone takes it; null: PHP's default one when the limit is made
     * @param int         $weekStart of Period::Week: the first day of a week, 1 (Monday) to 7 (Sunday)
     * @throws InvalidArgument
     */
    public static function calendar(int $limit, Period $period, ?string $timezone = null, int $weekStart = 1): Limit
    {
        Argument::range('$limit', $limit, 1, Bounds::LIMIT_MAX);
        Argument::range('$weekStart', $weekStart, 1, 7);
        if ($weekStart !== 1 && $period !== Period::Week) {
            throw Argument::invalid("\$weekStart must be left out for a period other than Period::Week, $weekStart given");
        }
        $number = $period === Period::Week ? Calendar::weekFrom($weekStart) : Calendar::PERIODS[$period->value];
        $rule = new Rule(Algorithm::CALENDAR_WINDOW, $limit, calendar: $number);
        return new self(new LimitData($rule, null, self::zone($timezone)));
    }

    /**
     * Admits at most $limit in each period of an interval that is counted from an anchor, such as a billing month. Period n begins
     * at the anchor plus n intervals, by the clock in $timezone. It is computed from the anchor: with the 31st of January, months
     * begin on 28 or 29 February, 31 March, 30 April. A time that the clock skips is the first moment after the gap, and one that
     * it shows twice is the first of both.
     *
     * @param DateInterval      $interval years and months, or weeks and days, or hours, minutes and seconds: a minute to ten years.
     *                                    A day is one of the clock, of any number of hours; an hour is 3,600 seconds.
     * @param DateTimeInterface $anchor   in the years 1970 to 9999, also in the future; its whole seconds count
     * @param string|null       $timezone a name as DateTimeZone takes it; null: the anchor's own
     * @throws InvalidArgument
     */
    public static function every(int $limit, DateInterval $interval, DateTimeInterface $anchor, ?string $timezone = null): Limit
    {
        Argument::range('$limit', $limit, 1, Bounds::LIMIT_MAX);
        [$unit, $n] = Interval::read($interval);
        $at = intdiv(Argument::moment('$anchor', $anchor), 1_000_000);
        $zone = self::zone($timezone ?? $anchor->format('e'));
        $rule = new Rule(Algorithm::CALENDAR_WINDOW, $limit, calendar: Calendar::every($unit, $n));
        return new self(new LimitData($rule, null, $zone, 0, Calendar::anchor($zone, $unit, $at)));
    }

    private static function zone(?string $timezone): string
    {
        return Calendar::zoneName($timezone) ?? throw Argument::invalid(
            '$timezone must be a time zone that DateTimeZone takes, "' . substr((string) $timezone, 0, 64) . '" given',
        );
    }

    /**
     * Admits at most $limit in every interval of $seconds, exactly. Keeps each admitted moment.
     *
     * @throws InvalidArgument
     */
    public static function slidingLog(int $limit, int|float $seconds): Limit
    {
        return self::windowed(Algorithm::SLIDING_LOG, $limit, $seconds);
    }

    /**
     * Admits at most $limit in every interval of $seconds, with 32 counters for any limit. It never admits one too many. It
     * may refuse for up to 1/30 of the period longer than the log would.
     *
     * @throws InvalidArgument
     */
    public static function slidingWindow(int $limit, int|float $seconds): Limit
    {
        return self::windowed(Algorithm::SLIDING_WINDOW, $limit, $seconds);
    }

    /**
     * A token bucket of $burst permits, which is refilled continuously with $rate permits every $seconds.
     *
     * @param int|null $burst capacity of the bucket; null: $rate. An empty bucket must fill within ten years.
     * @throws InvalidArgument
     */
    public static function tokenBucket(int $rate, int|float $seconds, ?int $burst = null): Limit
    {
        $burst ??= $rate;
        Argument::range('$rate', $rate, 1, Bounds::LIMIT_MAX);
        $period = Argument::duration('$seconds', $seconds, Bounds::PERIOD_MIN_US);
        Argument::range('$burst', $burst, 1, Bounds::LIMIT_MAX);
        if (self::fillsTooSlowly($burst, $period, $rate)) {
            throw Argument::invalid('$burst must fill within ' . Bounds::SECONDS_MAX
                . " seconds, $burst given, which at \$rate $rate takes longer");
        }
        return new self(new LimitData(new Rule(Algorithm::TOKEN_BUCKET, $burst, $period, $rate)));
    }

    /**
     * Holds at most $limit places at a time. Limiter::acquire() takes them; consume() and reserve() do not take such a limit.
     * A place comes free when its permit ends, and after $seconds at the latest, unless Permit::renew() moves that end.
     *
     * Such a limit has no ban().
     *
     * @param int       $limit   1 to 10,000
     * @param int|float $seconds 0.001 to 315,360,000 (ten years)
     * @throws InvalidArgument
     */
    public static function concurrent(int $limit, int|float $seconds): Limit
    {
        return self::windowed(Algorithm::CONCURRENT, $limit, $seconds);
    }

    /**
     * Admits every call, for tests and for what has no limit. In a limiter with other limits it changes nothing. A limiter of such
     * limits alone asks no store: each decision is accepted, with the largest limit as $limit and $remaining, and has no headers.
     * reset(), unban() and cancel() then return false; ban() and credit() change nothing. ban() and leased() of such a
     * limit have no effect.
     */
    public static function none(): Limit
    {
        return new self(LimitData::none());
    }

    private static function windowed(int $algorithm, int $limit, int|float $seconds): self
    {
        Argument::range('$limit', $limit, 1, Algorithm::ROWS[$algorithm]['max']);
        $period = Argument::duration('$seconds', $seconds, Bounds::PERIOD_MIN_US);
        return new self(new LimitData(new Rule($algorithm, $limit, $period)));
    }

    /** Returns whether burst * period is above ten years * rate; the products may have more than 64 bits. */
    private static function fillsTooSlowly(int $burst, int $period, int $rate): bool
    {
        [$floor, $rest] = Arithmetic::mulDiv($burst, $period, $rate);
        return $floor > Bounds::PERIOD_MAX_US || ($floor === Bounds::PERIOD_MAX_US && $rest > 0);
    }

    /**
     * Bans an identity that exceeds this limit from the whole limiter. The first refused call starts the ban; later ones do not
     * extend it. When it ends, this limit begins anew. A later ban() replaces it.
     *
     * A list of times escalates: the first ban lasts the first of them, the n-th one the n-th, and later ones the last. After
     * $forget seconds without such a ban, counted from its end, they begin anew. Result::$level is their number. All limits of a
     * limiter with such bans share it, for each identity. unban() keeps it, and a ban by hand does not count; reset() forgets it.
     *
     * @param int|float|Period|DateTimeInterface|array<mixed> $end a number: 0.001 seconds to ten years. A Period: the clock's next
     *                               boundary, in the time zone of a calendar limit, else in PHP's default one; a week begins on this
     *                               limit's day. A moment: at most ten years ahead; one in the past starts no ban. An array: 1 to 16
     *                               numbers, none below the one before it
     * @param int|float|null $forget seconds, at least the last time of the list, at most ten years; null: without a list
     * @throws InvalidArgument
     */
    public function ban(int|float|Period|DateTimeInterface|array $end, int|float|null $forget = null): Limit
    {
        if (\is_array($end)) {
            return $this->withBan(BanKind::STEPS, 0, 'array', steps: self::banSteps($end, $forget));
        }
        if ($forget !== null) {
            throw Argument::invalid(sprintf('$forget must be left out without a list of times, %.10H given', $forget));
        }
        if ($end instanceof Period) {
            return $this->withBan(BanKind::UNTIL, 0, Period::class, $this->banPeriod($end), $this->data->zone ?? Calendar::zoneName(null));
        }
        if ($end instanceof DateTimeInterface) {
            return $this->withBan(BanKind::UNTIL, self::banMoment($end), $end::class);
        }
        return $this->withBan(BanKind::FOR, Argument::banEnd('$end', $end, 0)[1], (string) $end);
    }

    private static function banMoment(DateTimeInterface $end): int
    {
        $us = Argument::moment('$end', $end);
        $latest = Time::wall() + Bounds::PERIOD_MAX_US;
        if ($us > $latest) {
            throw Argument::invalid('$end must be at most ' . intdiv($latest, 1_000_000) . ', ten years from now, '
                . intdiv($us, 1_000_000) . ' given');
        }
        return $us;
    }

    /** @param array<mixed> $seconds */
    private static function banSteps(array $seconds, int|float|null $forget): BanSteps
    {
        $times = Argument::growingTimes('$end', $seconds);
        $us = $forget === null ? throw Argument::invalid('$forget must be given with a list of times, null given')
            : Argument::duration('$forget', $forget, Bounds::PERIOD_MIN_US);
        $longest = $times[\count($times) - 1];
        if ($us < $longest) {
            throw Argument::invalid(sprintf('$forget must be at least the longest time in $end, %.10H, %.10H given', $longest / 1e6, $us / 1e6));
        }
        return new BanSteps($times, $us);
    }

    private function banPeriod(Period $period): int
    {
        return $period === Period::Week && Calendar::isWeek($this->data->rule->calendar) ? $this->data->rule->calendar
            : Calendar::PERIODS[$period->value];
    }

    /** Sets the ban, in place of any other. A concurrent limit has none: its refusal depends on how long others hold their places. */
    private function withBan(int $kind, int $us, string $given, int $period = 0, ?string $zone = null, ?BanSteps $steps = null): self
    {
        if ($this->data->rule->algorithm === Algorithm::CONCURRENT) {
            throw Argument::invalid("\$end must not be set on a concurrent limit, which has no ban: $given given");
        }
        $rule = clone $this->data->rule;
        $rule->banKind = $kind;
        $rule->banUs = $us;
        $rule->steps = $steps;
        return new self($this->data->with(['rule' => $rule, 'zone' => $zone ?? $this->data->zone, 'banPeriod' => $period]));
    }

    /**
     * Names the limit for Result::$name and for the headers: 1 to 64 bytes of printable ASCII. A string key of the array that
     * new Limiter() takes does the same.
     *
     * @throws InvalidArgument
     */
    public function named(string $name): Limit
    {
        return new self($this->data->with(['name' => Argument::name('$name', $name)]));
    }

    /**
     * Names the unit of the limit's permits for clients: RateLimit-Policy has it as qu, and Result::$limits as unit. It is no part of
     * what the limit counts: with another unit the count goes on.
     *
     * @param string $unit 1 to 64 bytes of printable ASCII, as "tokens". The draft names "requests", which a limit has without unit(),
     *                     and "content-bytes". Not of a concurrent limit, which has "concurrent-requests"
     * @throws InvalidArgument
     */
    public function unit(string $unit): Limit
    {
        Argument::name('$unit', $unit);
        if ($this->data->rule->algorithm === Algorithm::CONCURRENT) {
            throw Argument::invalid("\$unit must not be set on a concurrent limit, which has the unit concurrent-requests, \"$unit\" given");
        }
        return new self($this->data->with(['unit' => $unit]));
    }

    /**
     * Gives the limit an identity of its own: calls then bring one for each label, as ['tenant' => 7, 'user' => 42]. All limits of a
     * limiter have by(), or none has. Limits of one label share their state and their bans. A call is one decision over all of them.
     * In a Redis Cluster, another call may be refused while a decision is under way; none is ever admitted beyond a limit.
     *
     * @param string $identity a label of 1 to 64 bytes of printable ASCII
     * @throws InvalidArgument
     */
    public function by(string $identity): Limit
    {
        return new self($this->data->with(['by' => Argument::name('$identity', $identity)]));
    }

    /**
     * Makes a shadow of the limit: it is judged and counted as if it were enforced, and decides nothing. Result::$shadow names it
     * when it would have refused. It counts apart from the enforced limits, each call that they decide; the shadow limits of a
     * limiter are decided together. On Redis it costs a second round trip.
     */
    public function shadow(): Limit
    {
        return new self($this->data->with(['shadow' => true]));
    }

    /**
     * Lets a machine with the extension take permits from Redis ahead of calls, as many as it chooses. This package asks Redis for
     * each call.
     */
    public function leased(): Limit
    {
        $rule = clone $this->data->rule;
        $rule->leased = true;
        return new self($this->data->with(['rule' => $rule]));
    }
}
