<?php

declare(strict_types=1);

/** One process: one identity admitted, one refused, any of 200,000. */
final class MemoryScene extends Scene
{
    private const IDENTITIES = 200_000;

    public function run(): array
    {
        $many = array_keys(array_filter($this->contestants, static fn (array $c): bool => $c['random'] ?? true));
        foreach ($many as $name) {
            "bench_random_$name"(range(1, self::IDENTITIES), self::OUT_OF_REACH);
        }
        return ['admit' => $this->admit(), 'refuse' => $this->refuse(),
            'random' => $this->among(IdStream::uniform(self::IDENTITIES), $many)];
    }
}
