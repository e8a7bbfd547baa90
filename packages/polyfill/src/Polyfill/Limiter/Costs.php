<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limiter;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Limit\LimitData;

/** Reads the cost of a call: one for all limits, or one for each of them by its name. */
final class Costs
{
    /**
     * Returns the cost for all limits, or, behind the first one, those of each limit; null: they have the same.
     *
     * @param int|array<mixed> $cost
     * @param int              $min  0 or 1; with 1, not all of them are 0
     * @return array{int, list<int>|null}
     */
    public static function read(LimiterCore $core, int|array $cost, int $min): array
    {
        if (\is_int($cost)) {
            return [Argument::range('$cost', $cost, $min, Bounds::LIMIT_MAX), null];
        }
        if ($core->shadow !== null) {
            throw Argument::invalid('$cost must be an int where a limit is a shadow() beside others, an array given');
        }
        if ($core->storeless !== null) {
            return [self::ofStoreless($core->storeless->name, $cost), null];
        }
        $costs = self::ofLimits($core, $cost);
        if ($min > 0 && array_sum($costs) === 0) {
            throw Argument::invalid('$cost must have a cost above 0 for a limit, only 0 given');
        }
        return [$costs[0] ?? 0, \count(array_unique($costs)) > 1 ? $costs : null];
    }

    /** @param array<mixed> $given */
    private static function ofStoreless(?string $first, array $given): int
    {
        $cost = null;
        foreach ($given as $name => $value) {
            $value = self::check((string) $name, $value);
            $cost = $cost === null || (string) $name === $first ? $value : $cost;
        }
        return $cost ?? 1;
    }

    /**
     * @param array<mixed> $given
     * @return list<int>
     */
    private static function ofLimits(LimiterCore $core, array $given): array
    {
        $names = array_map(static fn (LimitData $limit): ?string => $limit->name, $core->limits);
        $found = [];
        foreach ($given as $name => $value) {
            $name = (string) $name;
            $i = array_search($name, $names, true);
            if ($i === false && !$core->hasNone($name, null)) {
                throw Argument::invalid('$cost must have costs by the names of the limits, one for \'' . substr($name, 0, 64) . '\' given, which is none');
            }
            $value = self::check($name, $value);
            if ($i !== false) {
                $found[$i] = $value;
            }
        }
        $costs = [];
        foreach ($names as $i => $name) {
            $costs[] = $found[$i] ?? throw Argument::invalid($name === null
                ? "\$cost can be an array only where each limit has a name, none at position $i given: use named(), or a string key"
                : "\$cost must have a cost for each limit, none for '$name' given");
        }
        return $costs;
    }

    private static function check(string $name, mixed $value): int
    {
        if (!\is_int($value)) {
            throw Argument::invalid("\$cost['$name'] must be an int, " . get_debug_type($value) . ' given');
        }
        return Argument::range("\$cost['$name']", $value, 0, Bounds::LIMIT_MAX);
    }
}
