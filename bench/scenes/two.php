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
        [$alone, $different] = $this->oneAndTwo($names, $n, $this->ownIdentity(...), 1);
        [$refuse_alone, $refuse] = $this->oneAndTwo($this->limiting('loop', 'floor', 'least'), $refused, $this->usedUp(...), 0);
        $results = [
            'reached' => $reached,
            'alone' => $alone,
            'different' => $different,
            'one' => $this->together(2, $names, $n, function (string $name, int $n): callable {
                $id = $this->id();
                return static fn (): array => "bench_hot_$name"($id, self::OUT_OF_REACH, $n);
            }, 1),
            'refuse_alone' => $refuse_alone,
            'refuse' => $refuse,
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

    /** The limit is reached in the middle of both processes' calls: a limiter that loses a count admits too many. */
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
        return $rounds->run($names, fn (string $name): array =>
            $this->atOnce($processes, $name, $n[$name], $work, $admittedPerCall, 0))->results();
    }

    /**
     * One process and two in the same rounds, so that the two can be compared; the one on either processor in turn.
     *
     * @return array{array, array}
     */
    private function oneAndTwo(array $names, array $n, callable $work, int $admittedPerCall): array
    {
        $both = array_merge(...array_map(static fn (string $name): array => ["1 $name", "2 $name"], $names));
        $rounds = (new Rounds($this->rounds))->run($both, function (string $which, int $round) use ($n, $work, $admittedPerCall): array {
            [$processes, $name] = explode(' ', $which);
            return $this->atOnce((int) $processes, $name, $n[$name], $work, $admittedPerCall, $round % 2);
        });
        return [$rounds->part('1 ')->results(), $rounds->part('2 ')->results()];
    }

    private function atOnce(int $processes, string $name, int $n, callable $work, int $admittedPerCall, int $from): array
    {
        $results = Processes::run($processes, $work($name, $n), $from);
        $this->expect($name, 'processes at once', $admittedPerCall * $processes * $n, self::sum($results));
        return [array_sum(array_column($results, 0)) / $processes / $n, [], array_sum(array_column($results, 2)) > 0];
    }

    private static function sum(array $results): int
    {
        return array_sum(array_column($results, 1));
    }
}
