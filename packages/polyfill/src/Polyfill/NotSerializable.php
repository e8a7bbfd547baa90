<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

/** Refuses serialization, as the extension's classes do. */
trait NotSerializable
{
    /** @return array<mixed> */
    public function __serialize(): array
    {
        throw new \Exception("Serialization of '" . static::class . "' is not allowed");
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        throw new \Exception("Unserialization of '" . static::class . "' is not allowed");
    }
}
