<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** Marks the limits of a limiter, so that each finds its own limit state again. */
final class Mark
{
    /** In the mark of a limit that its equals do not share: the low bits are of its name's hash. Else they are its place. */
    private const OF_NAME = 0x1000;

    /**
     * Sets the marks of a limiter's limits, whose identities are set.
     *
     * @param list<Rule>    $rules
     * @param list<?string> $names of each limit; a limit without one has its number as its name
     */
    public static function set(array $rules, array $names): void
    {
        $marks = array_map(static fn (Rule $rule, ?string $name): int => self::of($name ?? (string) $rule->limit), $rules, $names);
        foreach ($rules as $i => $rule) {
            $equals = array_keys(array_filter($rules, $rule->equals(...)));
            $place = (int) array_search($i, $equals, true);
            $shared = array_filter($equals, static fn (int $other): bool => $marks[$other] === $marks[$i]);
            $rule->mark = \count($shared) === 1 ? $marks[$i] : 1 + $place + 8 * \count($equals);
        }
    }

    private static function of(string $name): int
    {
        $hash = (int) hexdec(hash('fnv1a32', $name));
        return self::OF_NAME | (($hash ^ $hash >> 16) & (self::OF_NAME - 1));
    }
}
