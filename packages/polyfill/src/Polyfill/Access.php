<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Limit;
use FrequencyLimit\Permit;
use FrequencyLimit\Polyfill\Limit\LimitData;
use FrequencyLimit\Polyfill\Limiter\Grant;
use FrequencyLimit\Polyfill\Result\Decision;
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

    /** Returns the limit with a ban until the end of a period in a time zone. */
    public static function withBanPeriod(Limit $limit, int $period, string $zone): Limit
    {
        $data = self::limitData($limit);
        $rule = clone $data->rule;
        $rule->banKind = Core\BanKind::UNTIL;
        $rule->banUs = 0;
        return self::limit($data->with(['rule' => $rule, 'zone' => $zone, 'banPeriod' => $period]));
    }

    /** @return array<mixed> */
    public static function publicProperties(object $object): array
    {
        return get_object_vars($object);
    }

    public static function decision(Result $result): Decision
    {
        self::$readResult ??= \Closure::bind(static fn (Result $result): Decision => $result->decision, null, Result::class);
        return (self::$readResult)($result);
    }
}
