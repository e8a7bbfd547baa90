<?php

declare(strict_types=1);

require_once __DIR__ . '/../lib/Processes.php';

/** Two processes at once; the ns are those of one call in one of the two. */
final class TwoScene extends Scene
{
    private const IDENTITIES = 200_000;
    private const REACHED = 100_000;

    public function run(): array
    {
        $names = array_keys($this->contestants);
        $reached = $this->reached();

        $hot = fn (string $name, int $n): array => "bench_hot_$name"($this->id(), self::OUT_OF_REACH, $n);
        $n = $this->calibrate($names, $hot, self::OUT_OF_REACH >> 1);
        $refused = $this->calibrate($names, fn (string $name, int $n): array => "bench_hot_$name"($this->id(), 1, $n));
        $results = [
            'reached' => $reached,
            'alone' => $this->together(1, $names, $n, $this->ownIdentity(...), 1),
            'different' => $this->together(2, $names, $n, $this->ownIdentity(...), 1),
            'one' => $this->together(2, $names, $n, function (string $name, int $n): callable {
                $id = $this->id();
                return static fn (): array => "bench_hot_$name"($id, self::OUT_OF_REACH, $n);
            }, 1),
            'refuse_alone' => $this->together(1, $this->limiting('loop', 'floor', 'least'), $refused, $this->usedUp(...), 0),
            'refuse' => $this->together(2, $this->limiting('loop', 'floor', 'least'), $refused, $this->usedUp(...), 0),
        ];
        // Not before: in a table that is a fifth full, an identity in five takes some ns more, and of two that is one in three.
        return $results + ['random' => $this->random($names)];
    }

    private function random(array $names): array
    {
        $ids = IdStream::uniform(self::IDENTITIES);
        foreach ($names as $name) {
            "bench_random_$name"(range(1, self::IDENTITIES), self::OUT_OF_REACH);
        }
        $n = $this->calibrate($names, static fn (string $name, int $n): array => "bench_random_$name"($ids->next($n), self::OUT_OF_REACH),
            IdStream::LENGTH);
        return $this->together(2, $names, $n, static function (string $name, int $n) use ($ids): callable {
            $both = [$ids->next($n), $ids->next($n)];
            return static fn (int $rank): array => "bench_random_$name"($both[$rank], self::OUT_OF_REACH);
        }, 1);
    }

    private function ownIdentity(string $name, int $n): callable
    {
        $ids = [$this->id(), $this->id()];
        return static fn (int $rank): array => "bench_hot_$name"($ids[$rank], self::OUT_OF_REACH, $n);
    }

    private function usedUp(string $name, int $n): callable
    {
        $id = $this->id();
        "bench_hot_$name"($id, 1, 1);
        return static fn (): array => "bench_hot_$name"($id, 1, $n);
    }

    /** The limit falls in the middle of what both call: whoever loses a count admits too many. */
    private function reached(): array
    {
        $reached = [];
        for ($round = 0; $round < 5; ++$round) {
            foreach ($this->limiting() as $name) {
                $id = $this->id();
                $admitted = self::sum(Processes::run(2, static fn (): array => "bench_hot_$name"($id, self::REACHED, self::REACHED)));
                $this->expect($name, 'a limit reached by two processes', ($this->contestants[$name]['admits'])(self::REACHED), $admitted);
                $reached[$name] = $admitted;
            }
        }
        return $reached;
    }

    private function together(int $processes, array $names, array $n, callable $work, int $admittedPerCall): array
    {
        $rounds = new Rounds($this->rounds);
        return $rounds->run($names, function (string $name) use ($processes, $n, $work, $admittedPerCall): array {
            $results = Processes::run($processes, $work($name, $n[$name]));
            $this->expect($name, 'processes at once', $admittedPerCall * $processes * $n[$name], self::sum($results));
            return [array_sum(array_column($results, 0)) / $processes / $n[$name], [], array_sum(array_column($results, 2)) > 0];
        })->results();
    }

    private static function sum(array $results): int
    {
        return array_sum(array_column($results, 1));
    }
}
