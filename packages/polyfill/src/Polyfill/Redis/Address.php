<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** A server's address: a host with a port, or a unix socket's path with the port 0. */
final class Address
{
    public function __construct(public readonly string $host, public readonly int $port)
    {
    }

    public function isUnix(): bool
    {
        return $this->port === 0;
    }

    public function text(): string
    {
        return $this->isUnix() ? $this->host : (str_contains($this->host, ':') ? "[$this->host]" : $this->host) . ":$this->port";
    }
}
