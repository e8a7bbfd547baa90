<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** A server, or a set of servers, as ratelimit.store names it. */
final class Dsn
{
    public const SINGLE = 1;
    public const SENTINEL = 2;
    public const CLUSTER = 3;

    public int $kind = self::SINGLE;
    /** @var list<Address> of the server, the sentinels, or some nodes */
    public array $addresses = [];
    /** The master's name, with sentinels. */
    public string $master = '';
    public int $db = 0;
    /** How the store asks the server: no part of the place of its counts. */
    public int $connectTimeoutMs = 200;
    public int $timeoutMs = 100;
    public int $retryDelayMs = 1000;
    public ?Login $login = null;
    public ?Login $sentinelLogin = null;
    public readonly Tls $tls;
    /** The server's text, without its passwords. */
    public readonly string $label;

    /** @internal DsnParser makes it */
    public function __construct(string $label)
    {
        $this->tls = new Tls();
        $this->label = $label;
    }
}
