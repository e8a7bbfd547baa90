<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Limit;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\Bounds;

/** Reads the $limits of a new Limiter. */
final class LimitList
{
    /**
     * @param Limit|array<mixed> $limits
     * @return non-empty-list<LimitData> copies
     */
    public static function read(Limit|array $limits): array
    {
        if ($limits instanceof Limit) {
            $data = Access::limitData($limits);
            $list = [$data->withName($data->name)];
            self::checkLease($list);
            return $list;
        }
        $count = \count($limits);
        if ($count < 1 || $count > Bounds::LIMITS_MAX) {
            throw Argument::invalid('$limits must be between 1 and ' . Bounds::LIMITS_MAX . " limits, $count given");
        }
        $list = [];
        foreach ($limits as $key => $limit) {
            $position = \count($list);
            if (!$limit instanceof Limit) {
                throw Argument::invalid('$limits must hold only FrequencyLimit\Limit, ' . get_debug_type($limit) . " given at position $position");
            }
            $data = Access::limitData($limit);
            $name = \is_string($key) ? self::nameOfKey($key, $data->name) : $data->name;
            self::checkIsNew($list, $name);
            $list[] = $data->withName($name);
        }
        self::checkLease($list);
        return $list;
    }

    private static function nameOfKey(string $key, ?string $name): string
    {
        Argument::name('The key of $limits, which is the limit\'s name,', $key);
        if ($name !== null && $name !== $key) {
            throw Argument::invalid("\$limits['$key'] must have its key as its name, named('$name') given");
        }
        return $key;
    }

    /**
     * Result::$name and the headers could not distinguish two limits of one name.
     *
     * @param list<LimitData> $list
     */
    private static function checkIsNew(array $list, ?string $name): void
    {
        foreach ($name === null ? [] : $list as $i => $data) {
            if ($data->name === $name) {
                throw Argument::invalid("\$limits must have different names, '$name' given at positions $i and " . \count($list));
            }
        }
    }

    /** @param list<LimitData> $list */
    private static function checkLease(array $list): void
    {
        $several = \count($list) > 1;
        foreach ($list as $i => $data) {
            if ($data->rule->lease > 0 && ($several || $data->rule->banKind !== BanKind::NONE)) {
                throw Argument::invalid('$limits must be one limit without a ban when it is leased(), '
                    . ($several ? 'one of several' : 'one with a ban') . " given at position $i");
            }
        }
    }
}
