<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Limit;
use FrequencyLimit\Period;
use FrequencyLimit\Permit;
use FrequencyLimit\Result;

/** Makes and reads objects whose constructor and data are not public. */
final class Access
{
    /** @var (\Closure(Decision): Result)|null */
    private static ?\Closure $makeResult = null;
    /** @var (\Closure(Grant): Permit)|null */
    private static ?\Closure $makePermit = null;
    /** @var (\Closure(Limit): LimitData)|null */
    private static ?\Closure $readLimit = null;
    /** @var (\Closure(LimitData): Limit)|null */
    private static ?\Closure $makeLimit = null;
    /** @var (\Closure(Limit, Period, string): Limit)|null */
    private static ?\Closure $banLimit = null;
    /** @var (\Closure(Result): Decision)|null */
    private static ?\Closure $readResult = null;

    public static function result(Decision $decision): Result
    {
        self::$makeResult ??= \Closure::bind(static fn (Decision $decision): Result => new Result($decision), null, Result::class);
        return (self::$makeResult)($decision);
    }

    public static function permit(Grant $grant): Permit
    {
        self::$makePermit ??= \Closure::bind(static fn (Grant $grant): Permit => new Permit($grant), null, Permit::class);
        return (self::$makePermit)($grant);
    }

    public static function limitData(Limit $limit): LimitData
    {
        self::$readLimit ??= \Closure::bind(static fn (Limit $limit): LimitData => $limit->data, null, Limit::class);
        return (self::$readLimit)($limit);
    }

    public static function limit(LimitData $data): Limit
    {
        self::$makeLimit ??= \Closure::bind(static fn (LimitData $data): Limit => new Limit($data), null, Limit::class);
        return (self::$makeLimit)($data);
    }

    /** Returns the limit with a ban until a period of another time zone than PHP's default one. */
    public static function banInZone(Limit $limit, Period $period, string $zone): Limit
    {
        self::$banLimit ??= \Closure::bind(
            static fn (Limit $limit, Period $period, string $zone): Limit => $limit->withBan(Core\BanKind::UNTIL, 0, $limit->banPeriod($period), $zone),
            null,
            Limit::class,
        );
        return (self::$banLimit)($limit, $period, $zone);
    }

    public static function decision(Result $result): Decision
    {
        self::$readResult ??= \Closure::bind(static fn (Result $result): Decision => $result->decision, null, Result::class);
        return (self::$readResult)($result);
    }
}
