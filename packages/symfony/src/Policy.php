<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\Period;

/** Maps the configuration of a limiter of framework.rate_limiter to a Limit. */
final class Policy
{
    /** Above this limit a sliding window has 32 counters in place of each call's moment: 8 bytes a call and identity. */
    public const EXACT_SLIDING_LIMIT = 1000;

    private function __construct()
    {
    }

    /**
     * Returns the limit of a configuration.
     *
     * @param array<string, mixed> $config as Symfony's RateLimiterFactory takes it
     * @throws \LogicException for a configuration that the extension cannot serve; the message has a way out
     */
    public static function limit(array $config): Limit
    {
        $name = (string) $config['id'];
        try {
            $limit = match ($config['policy']) {
                'fixed_window' => isset($config['anchor_at'])
                    ? self::calendar($name, $config)
                    : Limit::fixedWindow($config['limit'], self::seconds($config['interval'])),
                'sliding_window' => $config['limit'] <= self::EXACT_SLIDING_LIMIT
                    ? Limit::slidingLog($config['limit'], self::seconds($config['interval']))
                    : Limit::slidingWindow($config['limit'], self::seconds($config['interval'])),
                'token_bucket' => Limit::tokenBucket($config['rate']['amount'] ?? 1, self::seconds($config['rate']['interval']), $config['limit']),
                'no_limit' => Limit::none(),
                default => throw new \LogicException(sprintf('The policy "%s" of the rate limiter "%s" is unknown.', $config['policy'], $name)),
            };
        } catch (InvalidArgument $e) {
            throw new \LogicException(sprintf('The extension ratelimit cannot serve the rate limiter "%s": %s. List "%1$s" under "ratelimit.except" to leave it to Symfony.', $name, $e->getMessage()), 0, $e);
        }

        return 1 === preg_match('/^[\x21-\x7e]{1,64}$/', $name) ? $limit->named($name) : $limit;
    }

    /** Returns the seconds of an interval such as "15 minutes" from now on, as Symfony does: a month has 28 to 31 days. */
    private static function seconds(string $interval): int
    {
        $now = new \DateTimeImmutable('@'.time());
        try {
            $end = @$now->modify('+'.$interval);
        } catch (\Exception) {
            $end = false;
        }
        if (!$end) {
            throw new \LogicException(sprintf('Cannot parse interval "%s", please use a valid unit as described on https://php.net/datetime.formats#datetime.formats.relative', $interval));
        }

        return $end->getTimestamp() - $now->getTimestamp();
    }

    /** Maps a window of one month that begins at the first midnight of a month; other anchors have no counterpart. */
    private static function calendar(string $name, array $config): Limit
    {
        $anchor = $config['anchor_at'];
        if (!$anchor instanceof \DateTimeInterface) {
            $anchor = new \DateTimeImmutable($anchor, new \DateTimeZone('UTC'));
        }
        $first = new \DateTimeImmutable('2001-02-01');
        if ('01 00:00:00.000000' !== $anchor->format('d H:i:s.u') || $first->modify('+'.$config['interval']) != $first->modify('+1 month')) {
            throw new \LogicException(sprintf('The extension ratelimit cannot serve the rate limiter "%s": of "anchor_at" it knows months from their first midnight on. List "%1$s" under "ratelimit.except" to leave it to Symfony.', $name));
        }

        return Limit::calendar($config['limit'], Period::Month, $anchor->getTimezone()->getName());
    }
}
