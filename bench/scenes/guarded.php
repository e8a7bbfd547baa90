<?php

declare(strict_types=1);

require_once __DIR__ . '/redis.php';

/** What need not ask Redis each time: leased permits, and refusals that are remembered (ratelimit.deny_cache). */
final class GuardedScene extends RedisScene
{
    public function run(): array
    {
        return ['admit' => $this->admit(), 'refuse' => $this->refuse()];
    }
}
