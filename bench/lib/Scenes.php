<?php

declare(strict_types=1);

/** What is measured: each scene gives its named series, and each series the ns of one call of every contestant. */
final class Scenes
{
    private const LIMIT_MAX = 16_777_215;
    private const IDENTITIES = 200_000;

    private int $next = 1_000_000;
    /** @var list<int>|null */
    private ?array $ids = null;

    /** @param array<string, array> $contestants */
    public function __construct(
        private readonly array $contestants,
        private readonly int $rounds,
        private readonly int $ns,
    ) {
    }

    /** Each lets exactly as many of 25 calls pass as its limit of 10 says. */
    public function exact(): array
    {
        $exact = [];
        foreach ($this->contestants as $name => $contestant) {
            if ($contestant['admits'] === null) {
                continue;
            }
            [, $admitted] = "bench_hot_$name"($this->id(), 10, 25);
            $this->expect($name, 'a limit of 10', $contestant['admits'](10), $admitted);
            $exact[$name] = $admitted;
        }
        return $exact;
    }

    public function memory(): array
    {
        return ['admit' => $this->admit(), 'refuse' => $this->refuse(), 'random' => $this->random()];
    }

    public function redis(): array
    {
        return $this->memory();
    }

    /** Two processes; the ns are those of one call in one of the two. */
    public function two(): array
    {
        $names = array_keys($this->contestants);
        $limiting = array_filter($this->contestants, static fn (array $c): bool => $c['admits'] !== null);

        // The limit falls in the middle of what both call: whoever loses a count admits too many.
        $reached = [];
        for ($round = 0; $round < 5; ++$round) {
            foreach ($limiting as $name => $contestant) {
                $id = $this->id();
                $admitted = self::sum(TwoProcesses::run(
                    static fn (): array => "bench_hot_$name"($id, 100_000, 100_000)));
                $this->expect($name, 'a limit of 100000 reached by two processes', $contestant['admits'](100_000), $admitted);
                $reached[$name] = $admitted;
            }
        }

        $n = $this->calibrate($names, fn (string $name, int $n): array => "bench_hot_$name"($this->id(), self::LIMIT_MAX, $n),
            self::LIMIT_MAX >> 1);
        $refused = $this->calibrate($names, fn (string $name, int $n): array => "bench_hot_$name"($this->id(), 1, $n));
        $this->warmUpRandom($names);
        $random = $this->calibrate($names, fn (string $name, int $n): array => "bench_random_$name"($this->some($n, 0), self::LIMIT_MAX),
            self::IDENTITIES);

        return [
            'reached' => $reached,
            'different' => $this->both($names, $n, function (string $name, int $n): callable {
                $ids = [$this->id(), $this->id()];
                return static fn (int $rank): array => "bench_hot_$name"($ids[$rank], self::LIMIT_MAX, $n);
            }, 2),
            'one' => $this->both($names, $n, function (string $name, int $n): callable {
                $id = $this->id();
                return static fn (): array => "bench_hot_$name"($id, self::LIMIT_MAX, $n);
            }, 2),
            'refuse' => $this->both(array_merge(['loop', 'floor'], array_keys($limiting)), $refused, function (string $name, int $n): callable {
                $id = $this->id();
                "bench_hot_$name"($id, 1, 1);
                return static fn (): array => "bench_hot_$name"($id, 1, $n);
            }, 0),
            'random' => $this->both($names, $random, function (string $name, int $n, int $round): callable {
                $ids = [$this->some($n, $round * $n), $this->some($n, ($round + 1) * $n + (self::IDENTITIES >> 1))];
                return static fn (int $rank): array => "bench_random_$name"($ids[$rank], self::LIMIT_MAX);
            }, 2),
        ];
    }

    /** The algorithms: 100 calls for each of many identities never seen before, with limits of 100. */
    public function series(): array
    {
        $names = array_keys($this->contestants);
        $run = fn (string $name, int $n): array => "bench_many_$name"($this->fresh(max(1, intdiv($n, 100))), 100, 100);
        $n = $this->calibrate($names, $run, self::IDENTITIES);

        $admit = new Rounds($this->rounds);
        $admit->run($names, function (string $name) use ($n, $run): array {
            $calls = max(1, intdiv($n[$name], 100)) * 100;
            $before = Rounds::disturbances();
            [$ns, $admitted] = $run($name, $n[$name]);
            $this->expect($name, 'as many calls as the limit', $calls, $admitted);
            return [$ns / $calls, [], self::isDisturbed($before)];
        });
        return ['admit' => $admit->results(), 'refuse' => $this->refuse(100)];
    }

    private function admit(): array
    {
        $names = array_keys($this->contestants);
        $run = fn (string $name, int $n): array => "bench_hot_$name"($this->id(), self::LIMIT_MAX, $n);
        return $this->each($names, $this->calibrate($names, $run, self::LIMIT_MAX - 1), $run, 1);
    }

    private function refuse(int $number = 1): array
    {
        $names = array_keys(array_filter($this->contestants, static fn (array $c, string $name): bool =>
            $c['admits'] !== null || in_array($name, ['loop', 'userland', 'floor', 'ping'], true), ARRAY_FILTER_USE_BOTH));
        $run = function (string $name, int $n) use ($number): array {
            $id = $this->id();
            "bench_hot_$name"($id, $number, $number + 1);
            return "bench_hot_$name"($id, $number, $n);
        };
        return $this->each($names, $this->calibrate($names, $run), $run, 0);
    }

    private function random(): array
    {
        $names = array_keys(array_filter($this->contestants, static fn (array $c): bool => $c['random'] ?? true));
        $this->warmUpRandom($names);
        $n = $this->calibrate($names, fn (string $name, int $n): array => "bench_random_$name"($this->some($n, 0), self::LIMIT_MAX),
            self::IDENTITIES);
        $rounds = new Rounds($this->rounds);
        $rounds->run($names, function (string $name, int $round) use ($n): array {
            $ids = $this->some($n[$name], $round * $n[$name]);
            $before = Rounds::disturbances();
            [$ns, $admitted] = "bench_random_$name"($ids, self::LIMIT_MAX);
            $this->expect($name, 'random identities', $n[$name], $admitted);
            return [$ns / $n[$name], [], self::isDisturbed($before)];
        });
        return $rounds->results();
    }

    /** @param callable(string, int): array{int, int} $run */
    private function each(array $names, array $n, callable $run, int $admittedPerCall): array
    {
        $rounds = new Rounds($this->rounds);
        $rounds->run($names, function (string $name) use ($n, $run, $admittedPerCall): array {
            $cpu = self::redisCpu();
            $before = Rounds::disturbances();
            [$ns, $admitted] = $run($name, $n[$name]);
            $disturbed = self::isDisturbed($before);
            $more = $cpu === null ? [] : ['server_us' => (self::redisCpu() - $cpu) / $n[$name]];
            $this->expect($name, $admittedPerCall ? 'a limit out of reach' : 'a limit that is reached',
                $admittedPerCall * $n[$name], $admitted);
            return [$ns / $n[$name], $more, $disturbed];
        });
        return $rounds->results();
    }

    private function both(array $names, array $n, callable $work, int $admittedPerCall): array
    {
        $rounds = new Rounds($this->rounds);
        $rounds->run($names, function (string $name, int $round) use ($n, $work, $admittedPerCall): array {
            $results = TwoProcesses::run($work($name, $n[$name], $round));
            $this->expect($name, 'two processes', $admittedPerCall * $n[$name], self::sum($results));
            return [($results[0][0] + $results[1][0]) / 2 / $n[$name], [], $results[0][2] + $results[1][2] > 0];
        });
        return $rounds->results();
    }

    /** How many calls of each fill a round; warms everything up on the way. */
    private function calibrate(array $names, callable $run, int $max = PHP_INT_MAX): array
    {
        $calls = [];
        foreach ($names as $name) {
            for ($n = 64;; $n *= 2) {
                [$ns] = $run($name, $n);
                if ($ns * 4 >= $this->ns || $n * 2 > $max) {
                    break;
                }
            }
            $calls[$name] = max(100, min($max, (int) ($n * $this->ns / max(1, $ns))));
        }
        return $calls;
    }

    private function warmUpRandom(array $names): void
    {
        foreach ($names as $name) {
            "bench_random_$name"($this->some(self::IDENTITIES, 0), self::LIMIT_MAX);
        }
    }

    /** $n of the 200,000 identities, in an order that is random and always the same. */
    private function some(int $n, int $offset): array
    {
        if ($this->ids === null) {
            mt_srand(20200612);
            $this->ids = range(1, self::IDENTITIES);
            shuffle($this->ids);
        }
        $offset %= self::IDENTITIES;
        $some = array_slice($this->ids, $offset, $n);
        return count($some) === $n ? $some : array_merge($some, array_slice($this->ids, 0, $n - count($some)));
    }

    private function fresh(int $n): array
    {
        $ids = range($this->next, $this->next + $n - 1);
        $this->next += $n;
        return $ids;
    }

    /** An identity that nobody has used, with room behind it. */
    private function id(): int
    {
        return $this->next += 10_000_000;
    }

    /** The us of processor time that the Redis server has used; null without one. */
    private static function redisCpu(): ?float
    {
        if (getenv('BENCH_REDIS') === false) {
            return null;
        }
        $cpu = Peers::redis()->info('cpu');
        return ($cpu['used_cpu_user'] + $cpu['used_cpu_sys']) * 1e6;
    }

    /** With a Redis on the same processor, taking turns is what is measured. */
    private static function isDisturbed(int $before): bool
    {
        return getenv('BENCH_REDIS') === false && Rounds::disturbances() > $before;
    }

    private static function sum(array $results): int
    {
        return array_sum(array_column($results, 1));
    }

    private function expect(string $name, string $what, int $expected, int $admitted): void
    {
        if ($this->contestants[$name]['admits'] !== null && $admitted !== $expected) {
            throw new RuntimeException("$name admitted $admitted calls instead of $expected ($what)");
        }
    }
}
