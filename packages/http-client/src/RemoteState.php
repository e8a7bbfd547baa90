<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

/**
 * The remote's limits as the headers of an answer state them: Retry-After, RateLimit of the IETF's drafts (with RateLimit-Policy,
 * whose limits of another unit than requests do not concern calls), RateLimit-Remaining and -Reset of older drafts, X-RateLimit-*.
 *
 * @internal
 */
final class RemoteState
{
    /** A reset above it is a unix time, and one above 1,000 times as much a unix time in milliseconds. */
    private const YEAR_2001 = 1_000_000_000;

    private function __construct(
        /** Seconds. */
        public readonly ?float $retryAfter,
        /** Calls that are left for the next $resetAfter seconds; null: unknown. */
        public readonly ?int $remaining,
        public readonly float $resetAfter,
    ) {
    }

    /** @param callable(string $name): string $header */
    public static function of(callable $header): self
    {
        $now = strtotime($header('Date')) ?: time();
        $text = trim($header('Retry-After'));
        $moment = is_numeric($text) ? $now + (float) $text : ('' === $text ? false : strtotime($text));

        $found = self::listed($header('RateLimit'), $header('RateLimit-Policy'));
        foreach (['RateLimit-', 'X-RateLimit-', 'X-Rate-Limit-'] as $prefix) {
            $found ??= self::pair($header($prefix.'Remaining'), $header($prefix.'Reset'), $now);
        }

        return new self(false === $moment ? null : max(0.0, (float) $moment - $now), $found[0] ?? null, $found[1] ?? 0.0);
    }

    /**
     * Returns the limit that admits least: of those that are used up, the one that stays so longest.
     *
     * @return array{int, float}|null
     */
    private static function listed(string $limits, string $policies): ?array
    {
        $others = [];
        foreach (self::items($policies) as $name => $parameters) {
            if (isset($parameters['qu']) && 'requests' !== $parameters['qu']) {
                $others[$name] = true;
            }
        }
        $least = null;
        $items = self::items($limits);
        if (isset($items['remaining'])) {
            // Drafts 3 to 7: limit=100, remaining=50, reset=5.
            $items = [['r' => $items['remaining'][''], 't' => $items['reset'][''] ?? null]];
        }
        foreach (array_diff_key($items, $others) as $parameters) {
            $pair = self::pair($parameters['r'] ?? null, $parameters['t'] ?? null);
            if (null !== $pair && (null === $least || [$pair[0], -$pair[1]] < [$least[0], -$least[1]])) {
                $least = $pair;
            }
        }

        return $least;
    }

    /**
     * Reads a list of structured fields (RFC 9651), as far as these headers use it.
     *
     * @return array<string, array<string, string>> parameters by the items' names; '' has the value of a dictionary's member
     */
    private static function items(string $line): array
    {
        $string = '"((?:[^"\\\\]|\\\\.)*)"';
        $items = [];
        preg_match_all('/("(?:[^"\\\\]|\\\\.)*"|[\w.*-]+)(?:=([^;,]*))?((?:\s*;\s*[\w.*-]+(?:=(?:"(?:[^"\\\\]|\\\\.)*"|[^;,]*))?)*)/', $line, $found, \PREG_SET_ORDER);
        foreach ($found as [, $name, $value, $parameters]) {
            preg_match_all("/;\s*([\w.*-]+)=(?:$string|([^;,\s]*))/", $parameters, $pairs, \PREG_SET_ORDER);
            $items[trim($name, '"')] = array_map(static fn (array $pair): string => $pair[3] ?? $pair[2], array_column($pairs, null, 1)) + ['' => trim($value)];
        }

        return $items;
    }

    /**
     * @param int|null $now a unix time, where the reset may be one
     * @return array{int, float}|null
     */
    private static function pair(?string $remaining, ?string $reset, ?int $now = null): ?array
    {
        if (!is_numeric($remaining) || !is_numeric($reset)) {
            return null;
        }
        $seconds = (float) $reset;
        if (null !== $now && $seconds >= self::YEAR_2001) {
            $seconds = ($seconds < self::YEAR_2001 * 1000 ? $seconds : $seconds / 1000) - $now;
        }

        return [max(0, (int) $remaining), max(0.0, $seconds)];
    }
}
