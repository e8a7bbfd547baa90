<?php

declare(strict_types=1);

require_once __DIR__ . '/redis.php';

/** A decision whose answer is looked for before the process sleeps (ratelimit.spin), beside those that sleep at once. */
final class SpunScene extends RedisScene
{
    public const ALSO = ['loop', 'ping', 'dohandle', 'evalsha'];

    public function run(): array
    {
        return ['admit' => $this->admit(), 'refuse' => $this->refuse()];
    }
}
