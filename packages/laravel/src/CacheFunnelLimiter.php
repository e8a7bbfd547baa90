<?php

namespace FrequencyLimit\Laravel;

use Illuminate\Cache\Limiters\ConcurrencyLimiter;
use Illuminate\Cache\Limiters\LimiterTimeoutException;

/** The limiter of a funnel: its places are the extension's, not locks of a cache. */
class CacheFunnelLimiter extends ConcurrencyLimiter
{
    public function __construct(private readonly Places $places, string $name, int $maxLocks, int $releaseAfter)
    {
        parent::__construct(null, $name, $maxLocks, $releaseAfter);
    }

    /**
     * Waits for a place in the extension, which chooses its own pauses: $sleep has no meaning.
     *
     * {@inheritdoc}
     */
    public function block($timeout, $callback = null, $sleep = 250)
    {
        return $this->places->hold(
            $this->name, $this->maxLocks, $this->releaseAfter, $timeout, is_callable($callback) ? $callback : null,
            fn () => new LimiterTimeoutException
        );
    }
}
