<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Monitor;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Polyfill\Time;

/** The callers that this process refuses most, and the bans that began in it, for FrequencyLimit::top() and bans(). */
final class Callers
{
    /** The most callers that are kept of each. */
    private const KEPT_MAX = 2_048;
    private const ROWS_MAX = 1_000;
    /** After this time a refusal counts half. */
    private const HALF_LIFE_US = 120_000_000;

    /** @var array<string, array{subject: Subject, refusals: float, at: int, limit: string|null, last: float}> */
    private static array $refused = [];
    /** @var array<string, array{subject: Subject, end: int, level: int}> the end on the monotonic clock */
    private static array $banned = [];

    /** Notes a refusal by a limit, or by an action. */
    public static function refused(Key $key, ?string $limit): void
    {
        if (!Settings::get()->top) {
            return;
        }
        $subject = new Subject($key);
        $text = $subject->key();
        $now = Time::mono();
        if (!isset(self::$refused[$text]) && \count(self::$refused) >= self::KEPT_MAX) {
            self::dropTheLeast($now);
        }
        $refusals = isset(self::$refused[$text]) ? self::refusals(self::$refused[$text], $now) : 0.0;
        self::$refused[$text] = ['subject' => $subject, 'refusals' => $refusals + 1, 'at' => $now, 'limit' => $limit, 'last' => Time::wall() / 1e6];
    }

    /** @param array{refusals: float, at: int} $row */
    private static function refusals(array $row, int $now): float
    {
        return $row['refusals'] * 2 ** (-($now - $row['at']) / self::HALF_LIFE_US);
    }

    /** Drops a quarter, so that its cost is spread over as many new callers. */
    private static function dropTheLeast(int $now): void
    {
        $counts = array_map(static fn (array $row): float => self::refusals($row, $now), self::$refused);
        asort($counts);
        self::$refused = array_diff_key(self::$refused, \array_slice($counts, 0, intdiv(self::KEPT_MAX, 4), true));
    }

    /** Notes a ban, which ends after so many microseconds. */
    public static function banned(Key $key, int $left, int $level): void
    {
        if (!Settings::get()->top || $left <= 0) {
            return;
        }
        $now = Time::mono();
        $subject = new Subject($key);
        if (\count(self::$banned) >= self::KEPT_MAX) {
            self::$banned = array_filter(self::$banned, static fn (array $row): bool => $row['end'] > $now);
        }
        if (\count(self::$banned) < self::KEPT_MAX || isset(self::$banned[$subject->key()])) {
            self::$banned[$subject->key()] = ['subject' => $subject, 'end' => $now + $left, 'level' => $level];
        }
    }

    public static function unbanned(Key $key): void
    {
        unset(self::$banned[(new Subject($key))->key()]);
    }

    public static function reset(Key $key): void
    {
        self::unbanned($key);
        unset(self::$refused[(new Subject($key))->key()]);
    }

    public static function flush(): void
    {
        self::$refused = self::$banned = [];
    }

    /**
     * @return list<array{kind: string, name: string, by: string|null, identity: int|string, refusals: int, error: int, limit: string|null, last: float}>
     */
    public static function top(int $count): array
    {
        Argument::range('$count', $count, 1, self::ROWS_MAX);
        $now = Time::mono();
        $rows = [];
        foreach (Settings::get()->top ? self::$refused : [] as $row) {
            $refusals = (int) round(self::refusals($row, $now));
            if ($refusals > 0) {
                $rows[] = $row['subject']->facts() + ['refusals' => $refusals, 'error' => 0, 'limit' => $row['limit'], 'last' => $row['last']];
            }
        }
        usort($rows, static fn (array $a, array $b): int => $b['refusals'] <=> $a['refusals']);
        return \array_slice($rows, 0, $count);
    }

    /** @return list<array{kind: string, name: string, by: string|null, identity: int|string, end: float, level: int}> */
    public static function bans(int $count): array
    {
        Argument::range('$count', $count, 1, self::ROWS_MAX);
        $now = Time::mono();
        $rows = array_values(array_filter(Settings::get()->top ? self::$banned : [], static fn (array $row): bool => $row['end'] > $now));
        usort($rows, static fn (array $a, array $b): int => $b['end'] <=> $a['end']);
        return array_map(static fn (array $row): array => $row['subject']->facts()
            + ['end' => (Time::wall() + $row['end'] - $now) / 1e6, 'level' => $row['level']], \array_slice($rows, 0, $count));
    }
}
