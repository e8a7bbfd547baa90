<?php

declare(strict_types=1);

/** One process: one identity admitted, one refused, any of 200,000. */
final class MemoryScene extends Scene
{
    private const IDENTITIES = 200_000;

    public function run(): array
    {
        return $this->alone(self::IDENTITIES);
    }
}
