<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** The times of a call to Redis in milliseconds, and the client library. */
final class Timeouts
{
    /** @param string $client "phpredis", "predis" or "auto" */
    public function __construct(
        public readonly int $connectMs,
        public readonly int $replyMs,
        public readonly string $client = 'auto',
        public readonly int $retryDelayMs = 1000,
    ) {
    }
}
