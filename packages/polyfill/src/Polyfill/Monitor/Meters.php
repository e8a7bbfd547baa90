<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Monitor;

use FrequencyLimit\Polyfill\Settings;

/** The counts of this process by name, for FrequencyLimit::limiters() and metrics(). */
final class Meters
{
    public const LIMITER = 'limiter';
    public const ACTION = 'action';
    public const OTHER = 'other';
    /** The names with counts of their own. */
    private const NAMES_MAX = 256;
    private const KINDS = [self::OTHER => 0, self::LIMITER => 1, self::ACTION => 2];

    /** @var array<string, Meter> by kind and name */
    private static array $meters = [];

    public static function of(string $kind, string $name): Meter
    {
        $key = "$kind $name";
        if (!isset(self::$meters[$key]) && \count(self::$meters) >= self::NAMES_MAX) {
            $kind = $name = self::OTHER;
            $key = self::OTHER;
        }
        return self::$meters[$key] ??= new Meter($kind, $name);
    }

    /** @return list<Meter> the most refused first, and that of all other names last */
    public static function sorted(): array
    {
        $meters = array_values(self::$meters);
        usort($meters, static fn (Meter $a, Meter $b): int => [$a->kind === self::OTHER, -$a->refused, self::KINDS[$a->kind], $a->name]
            <=> [$b->kind === self::OTHER, -$b->refused, self::KINDS[$b->kind], $b->name]);
        return $meters;
    }

    /**
     * @return list<array{
     *     kind: string, name: string, decisions: int, refused: int, banned: int, shadow: int, near: int, fallback: int,
     *     errors: int, counts_admitted: bool,
     *     limits: list<array{name: string, refused: int, shadow: int, banned: int}>
     * }>
     */
    public static function rows(): array
    {
        return array_map(static fn (Meter $meter): array => [
            'kind' => $meter->kind,
            'name' => $meter->name,
            'decisions' => $meter->decisions(),
            'refused' => $meter->refused,
            'banned' => $meter->banned,
            'shadow' => $meter->shadow,
            'near' => $meter->near,
            'fallback' => $meter->fallback,
            'errors' => $meter->errors,
            'counts_admitted' => $meter->kind !== self::ACTION || Settings::get()->countActions,
            'limits' => array_map(static fn (int|string $name): array => ['name' => (string) $name] + $meter->limits[$name], array_keys($meter->limits)),
        ], self::sorted());
    }
}
