<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\Bounds;

/** Reads doHandle()'s $expire. */
final class Expire
{
    private const SHOWN_MAX = 40;

    /**
     * Returns the kind of the ban, and its seconds or its unix time.
     *
     * @param array<mixed>|null $expire
     * @param \Closure(): int   $wall   returns the store's wall clock in microseconds
     * @return array{int, int}
     */
    public static function read(?array $expire, \Closure $wall): array
    {
        if (!$expire) {
            return [BanKind::NONE, 0];
        }
        $type = self::number($expire, 'type');
        $ttl = self::number($expire, 'ttl');
        if (\count($expire) !== 2) {
            throw self::unknownKey($expire);
        }
        if ($type === 1) {
            return [BanKind::FOR, Argument::range("\$expire['ttl']", $ttl, 1, Bounds::SECONDS_MAX)];
        }
        if ($type !== 2) {
            throw Argument::invalid("\$expire['type'] must be 1 (for ttl seconds) or 2 (until the unix time ttl), $type given");
        }
        $latest = intdiv($wall(), 1_000_000) + Bounds::SECONDS_MAX;
        if ($ttl > $latest) {
            throw Argument::invalid("\$expire['ttl'] must be at most $latest (ten years from now), $ttl given");
        }
        /* A moment of the past moves nothing, of any age. */
        return [BanKind::UNTIL, max(0, $ttl)];
    }

    /** @param array<mixed> $expire */
    private static function number(array $expire, string $key): int
    {
        if (!\array_key_exists($key, $expire)) {
            throw Argument::invalid("\$expire['$key'] is missing: it takes ['type' => 1 or 2, 'ttl' => seconds or unix time]");
        }
        $value = $expire[$key];
        if (\is_string($value)) {
            $number = is_numeric($value) ? $value + 0 : null;
            return \is_int($number) ? $number
                : throw Argument::invalid("\$expire['$key'] must be an int or a numeric string, '" . self::shown($value) . "' given");
        }
        return \is_int($value) ? $value
            : throw Argument::invalid("\$expire['$key'] must be an int or a numeric string, " . get_debug_type($value) . ' given');
    }

    private static function shown(string $text): string
    {
        return addcslashes(substr($text, 0, self::SHOWN_MAX), "\0..\37\\\177..\377") . (\strlen($text) > self::SHOWN_MAX ? '...' : '');
    }

    /** @param array<mixed> $expire */
    private static function unknownKey(array $expire): \FrequencyLimit\InvalidArgument
    {
        $unknown = array_values(array_diff(array_keys($expire), ['type', 'ttl']))[0] ?? 'others';
        return Argument::invalid("\$expire takes the keys 'type' and 'ttl', "
            . (\is_int($unknown) ? (string) $unknown : "'" . self::shown($unknown) . "'") . ' given');
    }
}
