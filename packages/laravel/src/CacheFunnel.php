<?php

namespace FrequencyLimit\Laravel;

use Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder;

/** Builds the limiter of Cache::funnel(). */
class CacheFunnel extends ConcurrencyLimiterBuilder
{
    /**
     * @param  Repository  $connection
     * @param  string  $name
     * @param  string  $cache  the name of the cache: funnels of two caches are apart
     */
    public function __construct($connection, $name, private readonly Places $places, private readonly string $cache)
    {
        parent::__construct($connection, $name);
    }

    /** {@inheritdoc} */
    protected function createLimiter()
    {
        return new CacheFunnelLimiter($this->places, "cache:$this->cache:$this->name", (int) $this->maxLocks, (int) $this->releaseAfter);
    }
}
