<?php

declare(strict_types=1);

/** The algorithms: 100 calls for each of many new identities, with limits of 100; and an exhausted one. */
final class SeriesScene extends Scene
{
    private const LIMIT = 100;

    public function run(): array
    {
        $run = fn (string $name, int $n): array => "bench_many_$name"($this->fresh(max(1, intdiv($n, self::LIMIT))), self::LIMIT, self::LIMIT);
        $n = array_map(static fn (int $n): int => max(1, intdiv($n, self::LIMIT)) * self::LIMIT,
            $this->calibrate(array_keys($this->contestants), $run, 200_000));
        return ['admit' => $this->measure(array_keys($n), $n, $run, 1), 'refuse' => $this->refuse(self::LIMIT)];
    }
}
