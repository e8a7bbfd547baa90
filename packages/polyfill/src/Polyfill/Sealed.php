<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

/** Refuses dynamic properties, and shows the public ones alone, as the extension's classes do. */
trait Sealed
{
    public function __set(string $name, mixed $value): void
    {
        throw new \Error('Cannot create dynamic property ' . static::class . "::\$$name");
    }

    /**
     * Returns what var_dump() and print_r() show. A private property may hold the password of a store.
     *
     * @return array<mixed>
     */
    public function __debugInfo(): array
    {
        return Access::publicProperties($this);
    }
}
