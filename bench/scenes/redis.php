<?php

declare(strict_types=1);

require_once __DIR__ . '/../lib/RedisMeter.php';

/** Decisions on Redis (BENCH_REDIS): one identity admitted, one refused, any of 20,000. */
class RedisScene extends Scene
{
    private const IDENTITIES = 20_000;

    public function run(): array
    {
        return $this->alone(self::IDENTITIES);
    }

    protected function meter(): callable
    {
        return RedisMeter::start();
    }
}
