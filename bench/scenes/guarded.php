<?php

declare(strict_types=1);

require_once __DIR__ . '/redis.php';

/** Decisions without a request to Redis: leased permits, and the deny cache (deny_cache). */
final class GuardedScene extends RedisScene
{
    public function run(): array
    {
        return ['admit' => $this->admit(), 'refuse' => $this->refuse()];
    }
}
