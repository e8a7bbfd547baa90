<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** Marks the limits of a limiter, so that each finds its own limit state again. */
final class Mark
{
    /** The low bits are of a hash: of the limit's name, which tells it apart from all others; or of its number, among its equals alone. */
    private const OF_NAME = 0x1000;
    private const OF_NUMBER = 0x0800;

    /**
     * Sets the marks of a limiter's limits, whose identities are set.
     *
     * @param list<Rule>    $rules
     * @param list<?string> $names of each limit; a limit without one has its number, with the time zone of a calendar
     * @param list<?string> $zones
     */
    public static function set(array $rules, array $names, array $zones): void
    {
        $marks = array_map(static fn (Rule $rule, ?string $name, ?string $zone): int => $name !== null ? self::of($name, self::OF_NAME)
            : self::of($rule->limit . ($rule->algorithm === Algorithm::CALENDAR_WINDOW ? $zone : ''), self::OF_NUMBER), $rules, $names, $zones);
        foreach ($rules as $i => $rule) {
            $equals = array_keys(array_filter($rules, $rule->equals(...)));
            $place = (int) array_search($i, $equals, true);
            $shared = array_filter($equals, static fn (int $other): bool => $marks[$other] === $marks[$i]);
            $rule->mark = \count($shared) === 1 ? $marks[$i] : 1 + $place + 8 * \count($equals);
        }
    }

    public static function isOfName(int $mark): bool
    {
        return $mark >= self::OF_NAME;
    }

    /** @param int $bit above those of the hash */
    private static function of(string $text, int $bit): int
    {
        $hash = (int) hexdec(hash('fnv1a32', $text));
        return $bit | (($hash ^ $hash >> 16) & ($bit - 1));
    }
}
