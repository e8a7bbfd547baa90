<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Monitor;

use FrequencyLimit\Polyfill\Statistics;
use FrequencyLimit\Polyfill\Time;

/** The totals of this process in the last hour, once a minute, for FrequencyLimit::history(). */
final class History
{
    private const MINUTE_US = 60_000_000;
    private const MINUTES = 60;

    /** @var array<int, array{int, array{decisions: int, refused: int, banned: int, fallback: int, errors: int}}> by minute: the moment, the totals */
    private static array $points = [];
    private static int $minute = -1;

    /** Writes the totals, if no decision of this minute has. */
    public static function note(): void
    {
        $now = Time::mono();
        $minute = intdiv($now, self::MINUTE_US);
        if ($minute === self::$minute) {
            return;
        }
        self::$minute = $minute;
        self::$points[$minute] = [$now, Statistics::totals()];
        self::$points = array_filter(self::$points, static fn (int $noted): bool => $noted <= $minute && $noted >= $minute - self::MINUTES, ARRAY_FILTER_USE_KEY);
    }

    /** @return list<array{time: float, seconds: float, decisions: int, refused: int, banned: int, fallback: int, errors: int}> */
    public static function rows(): array
    {
        self::note();
        $now = Time::mono();
        $wall = Time::wall();
        $points = [...array_values(self::$points), [$now, Statistics::totals()]];
        $rows = [];
        for ($i = 0; $i + 1 < \count($points); $i++) {
            [$from, $before] = $points[$i];
            [$to, $after] = $points[$i + 1];
            if ($to > $from) {
                $rows[] = [
                    'time' => ($wall + $from - $now) / 1e6,
                    'seconds' => ($to - $from) / 1e6,
                    'decisions' => $after['decisions'] - $before['decisions'],
                    'refused' => $after['refused'] - $before['refused'],
                    'banned' => $after['banned'] - $before['banned'],
                    'fallback' => $after['fallback'] - $before['fallback'],
                    'errors' => $after['errors'] - $before['errors'],
                ];
            }
        }
        return $rows;
    }
}
