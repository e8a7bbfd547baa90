<?php

declare(strict_types=1);

namespace FrequencyLimit;

use DateTimeInterface;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Calendar;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\LimitData;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Time;

/**
 * One limit, made by a factory method. It is immutable: ban(), banUntil(), named() and leased() return changed copies.
 *
 * Limits are 1 to 16,777,215 (of a sliding log 1 to 10,000). Periods are 0.001 seconds to ten years.
 */
final class Limit
{
    use NotSerializable;

    private function __construct(private readonly LimitData $data)
    {
    }

    /**
     * Admits at most $limit in the $seconds that begin with the first admitted call.
     *
     * @throws InvalidArgument
     */
    public static function fixedWindow(int $limit, int|float $seconds): Limit
    {
        return self::windowed(Algorithm::FIXED_WINDOW, $limit, $seconds, Bounds::LIMIT_MAX);
    }

    /**
     * Admits at most $limit in each minute, hour, day, week or month of the clock in $timezone.
     *
     * @param string|null $timezone a name as DateTimeZone takes it; null: PHP's default one when the limit is made
     * @throws InvalidArgument
     */
    public static function calendar(int $limit, Period $period, ?string $timezone = null): Limit
    {
        Argument::range('$limit', $limit, 1, Bounds::LIMIT_MAX);
        $zone = Calendar::zoneName($timezone) ?? throw Argument::invalid(
            '$timezone must be a time zone that DateTimeZone takes, "' . substr((string) $timezone, 0, 64) . '" given',
        );
        $rule = new Rule(Algorithm::CALENDAR_WINDOW, $limit, calendar: Calendar::PERIODS[$period->value]);
        return new self(new LimitData($rule, null, $zone));
    }

    /**
     * Admits at most $limit in every interval of $seconds, exactly. Keeps each admitted moment.
     *
     * @throws InvalidArgument
     */
    public static function slidingLog(int $limit, int|float $seconds): Limit
    {
        return self::windowed(Algorithm::SLIDING_LOG, $limit, $seconds, Bounds::LOG_MAX);
    }

    /**
     * Admits at most $limit in every interval of $seconds, with 32 counters for any limit. It never admits one too many. It
     * may refuse for up to 1/30 of the period longer than the log would.
     *
     * @throws InvalidArgument
     */
    public static function slidingWindow(int $limit, int|float $seconds): Limit
    {
        return self::windowed(Algorithm::SLIDING_WINDOW, $limit, $seconds, Bounds::LIMIT_MAX);
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
     * Such a limit has no ban() and no leased().
     *
     * @param int       $limit   1 to 10,000
     * @param int|float $seconds 0.001 to 315,360,000 (ten years)
     * @throws InvalidArgument
     */
    public static function concurrent(int $limit, int|float $seconds): Limit
    {
        return self::windowed(Algorithm::CONCURRENT, $limit, $seconds, Bounds::LOG_MAX);
    }

    private static function windowed(int $algorithm, int $limit, int|float $seconds, int $max): self
    {
        Argument::range('$limit', $limit, 1, $max);
        $period = Argument::duration('$seconds', $seconds, Bounds::PERIOD_MIN_US);
        return new self(new LimitData(new Rule($algorithm, $limit, $period)));
    }

    /** Returns whether burst * period is above ten years * rate; the product may have more than 64 bits. */
    private static function fillsTooSlowly(int $burst, int $period, int $rate): bool
    {
        $whole = intdiv($period, $rate);
        return $whole > intdiv(Bounds::PERIOD_MAX_US, $burst)
            || $whole * $burst + intdiv($period % $rate * $burst + $rate - 1, $rate) > Bounds::PERIOD_MAX_US;
    }

    /**
     * Bans an identity that exceeds this limit from the whole limiter, for 0.001 seconds to ten years. The first refused call
     * starts the ban; later ones do not extend it. When it ends, this limit begins anew.
     *
     * @throws InvalidArgument
     */
    public function ban(int|float $seconds): Limit
    {
        $us = Argument::duration('$seconds', $seconds, Bounds::PERIOD_MIN_US);
        $this->checkCanBan('$seconds', (string) $seconds);
        return $this->withBan(BanKind::FOR, $us);
    }

    /**
     * Does the same as ban(), until a moment: the next boundary of a clock's period, or a fixed moment, at most ten years
     * ahead. The period is in the time zone of this limit, if it is a calendar limit, else in PHP's default one. A moment in
     * the past starts no ban.
     *
     * @throws InvalidArgument
     */
    public function banUntil(Period|DateTimeInterface $end): Limit
    {
        if ($end instanceof Period) {
            $this->checkCanBan('$end', Period::class);
            return $this->withBan(BanKind::UNTIL, 0, Calendar::PERIODS[$end->value], $this->data->zone ?? Calendar::zoneName(null));
        }
        $us = Argument::moment('$end', $end);
        $latest = Time::wall() + Bounds::PERIOD_MAX_US;
        if ($us > $latest) {
            throw Argument::invalid('$end must be at most ' . intdiv($latest, 1_000_000) . ', ten years from now, '
                . intdiv($us, 1_000_000) . ' given');
        }
        $this->checkCanBan('$end', $end::class);
        return $this->withBan(BanKind::UNTIL, $us);
    }

    private function withBan(int $kind, int $us, int $period = 0, ?string $zone = null): self
    {
        $rule = clone $this->data->rule;
        $rule->banKind = $kind;
        $rule->banUs = $us;
        return new self(new LimitData($rule, $this->data->name, $zone ?? $this->data->zone, $period));
    }

    /** A concurrent limit has no ban: its refusal depends on how long others hold their places. */
    private function checkCanBan(string $argument, string $given): void
    {
        if ($this->data->rule->algorithm === Algorithm::CONCURRENT) {
            throw Argument::invalid("$argument must not be set on a concurrent limit, which has no ban: $given given");
        }
    }

    /**
     * Names the limit for Result::$name and for the headers: 1 to 64 bytes of printable ASCII. A string key of the array that
     * new Limiter() takes does the same.
     *
     * @throws InvalidArgument
     */
    public function named(string $name): Limit
    {
        return new self($this->data->withName(Argument::name('$name', $name)));
    }

    /**
     * Lets a machine with the extension take up to $permits (1 to 16,777,215) of a fixed or calendar window from Redis at once.
     * This package asks Redis for each call.
     *
     * Such a limit must be its limiter's only one and have no ban. credit(), reserve() and cancel() are not available.
     *
     * @throws InvalidArgument
     */
    public function leased(int $permits): Limit
    {
        Argument::range('$permits', $permits, 1, Bounds::LIMIT_MAX);
        $rule = clone $this->data->rule;
        if ($rule->algorithm !== Algorithm::FIXED_WINDOW && $rule->algorithm !== Algorithm::CALENDAR_WINDOW) {
            throw Argument::invalid("\$permits can be leased of a fixed or calendar window only, $permits of another algorithm given");
        }
        $rule->lease = $permits - 1;
        return new self(new LimitData($rule, $this->data->name, $this->data->zone, $this->data->banPeriod));
    }
}
