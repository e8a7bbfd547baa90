<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limit;

use FrequencyLimit\Limit;
use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Bounds;

/** Reads the $limits of a new Limiter. */
final class LimitList
{
    /**
     * @param Limit|array<mixed> $limits
     * @return list<LimitData> copies
     */
    public static function read(Limit|array $limits): array
    {
        if ($limits instanceof Limit) {
            $data = Access::limitData($limits);
            return [$data->with([])];
        }
        $count = \count($limits);
        if ($count < 1 || $count > Bounds::LIMITS_MAX) {
            throw Argument::invalid('$limits must be between 1 and ' . Bounds::LIMITS_MAX . " limits, $count given");
        }
        $list = [];
        foreach ($limits as $key => $limit) {
            if (!$limit instanceof Limit) {
                throw Argument::invalid('$limits must hold only FrequencyLimit\Limit, ' . get_debug_type($limit) . ' given at position '
                    . \count(self::limiting($list, false)));
            }
            $data = Access::limitData($limit);
            $name = \is_string($key) ? self::nameOfKey($key, $data->name) : $data->name;
            self::checkIsNew($list, $name);
            $list[] = $data->with(['name' => $name]);
        }
        return $list;
    }

    /**
     * Returns the limits that limit something.
     *
     * @param list<LimitData> $list
     * @return array{list<LimitData>, list<LimitData>, list<array{?string, ?string}>} the enforced ones, the shadows, name and label of the others
     */
    public static function withoutNone(array $list): array
    {
        $enforced = self::limiting($list, false);
        $shadows = self::limiting($list, true);
        $nones = [];
        foreach ($list as $data) {
            if ($data->rule->algorithm === Algorithm::NONE) {
                $nones[] = [$data->name, $data->by];
            }
        }
        return [$enforced, $shadows, $nones];
    }

    /**
     * @param list<LimitData> $list
     * @return list<LimitData>
     */
    private static function limiting(array $list, bool $shadow): array
    {
        return array_values(array_filter($list, static fn (LimitData $data): bool
            => $data->rule->algorithm !== Algorithm::NONE && $data->shadow === $shadow));
    }

    /**
     * Returns what the decisions of a limiter without limits have in place of one: the first name.
     *
     * @param list<LimitData> $list
     */
    public static function storeless(array $list): Policy
    {
        $names = array_filter(array_map(static fn (LimitData $data): ?string => $data->name, $list), is_string(...));
        return new Policy(array_values($names)[0] ?? null, Bounds::LIMIT_MAX, Policy::NO_WINDOW);
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
        foreach ($name === null ? [] : [self::limiting($list, true), self::limiting($list, false)] as $limits) {
            foreach ($limits as $i => $data) {
                if ($data->name === $name) {
                    throw Argument::invalid("\$limits must have different names, '$name' given at positions $i and " . \count($limits));
                }
            }
        }
    }

    /**
     * Checks that all limits have by() or none has, and that no shadow limit is beside it: its name space is that of the labels, or
     * that of the shadows.
     *
     * @param list<LimitData> $enforced
     * @param list<LimitData> $shadows
     */
    public static function checkLabels(string $name, array $enforced, array $shadows): void
    {
        foreach ($shadows ? [...$enforced, ...$shadows] : [] as $data) {
            if ($data->by !== null) {
                throw Argument::invalid("\$limits must have no by() beside shadow(), by('$data->by') given: use two limiters");
            }
        }
        foreach ($enforced as $i => $data) {
            if (($data->by === null) !== ($enforced[0]->by === null)) {
                throw Argument::invalid("\$limits must all have by(), or none of them: the limit at position $i has " . ($data->by === null ? 'none' : 'one'));
            }
            $most = Bounds::NAME_MAX - \strlen($data->by ?? '') - 1;
            if ($data->by !== null && \strlen($name) > $most) {
                throw Argument::invalid("\$name must be between 1 and $most bytes long beside by('$data->by'), " . \strlen($name) . ' given');
            }
        }
    }
}
