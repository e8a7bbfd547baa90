<?php

declare(strict_types=1);

require_once __DIR__ . '/redis.php';

/** Decisions with a busy-wait for the reply (ratelimit.spin), beside those that sleep at once. */
final class SpunScene extends RedisScene
{
    public const ALSO = ['loop', 'ping', 'dohandle', 'evalsha'];

    public function run(): array
    {
        return ['admit' => $this->admit(), 'refuse' => $this->refuse()];
    }
}
