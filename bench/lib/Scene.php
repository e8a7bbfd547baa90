<?php

declare(strict_types=1);

/** What the scenes share: identities, how many calls fill a round, and that every count is checked. */
abstract class Scene
{
    /** The largest limit there is: one that no round reaches. */
    protected const OUT_OF_REACH = 16_777_215;

    /** Contestants that take part without saying so. */
    public const ALSO = [];

    private int $next = 1_000_000;

    /**
     * @param array<string, array> $contestants
     * @param int                  $ns          how long one of a round's measurements takes
     */
    final public function __construct(
        protected readonly array $contestants,
        protected readonly int $rounds,
        protected readonly int $ns,
    ) {
    }

    /** @return array<string, mixed> series of results */
    abstract public function run(): array;

    /** Each lets exactly as many of 25 calls pass as its limit of 10 says. */
    public function exact(): array
    {
        $exact = [];
        foreach ($this->limiting() as $name) {
            [, $admitted] = "bench_hot_$name"($this->id(), 10, 25);
            $this->expect($name, 'a limit of 10', ($this->contestants[$name]['admits'])(10), $admitted);
            $exact[$name] = $admitted;
        }
        return $exact;
    }

    /** @return list<string> those that limit something, and $also */
    protected function limiting(string ...$also): array
    {
        return array_values(array_filter(array_keys($this->contestants), fn (string $name): bool =>
            $this->contestants[$name]['admits'] !== null || in_array($name, $also, true)));
    }

    /** One process: one identity admitted, one refused, any of so many. */
    protected function alone(int $identities): array
    {
        $many = array_keys(array_filter($this->contestants, static fn (array $c): bool => $c['random'] ?? true));
        foreach ($many as $name) {
            "bench_random_$name"(range(1, $identities), self::OUT_OF_REACH);
        }
        return ['admit' => $this->admit(), 'refuse' => $this->refuse(),
            'random' => $this->among(IdStream::uniform($identities), $many)];
    }

    /** One identity below its limit. */
    protected function admit(?array $names = null): array
    {
        $names ??= array_keys($this->contestants);
        $run = fn (string $name, int $n): array => "bench_hot_$name"($this->id(), self::OUT_OF_REACH, $n);
        return $this->measure($names, $this->calibrate($names, $run, self::OUT_OF_REACH - 1), $run, 1);
    }

    /** One identity at its limit. */
    protected function refuse(int $number = 1, ?array $names = null): array
    {
        $names ??= $this->limiting('loop', 'userland', 'floor', 'least', 'ping', 'phpredis_ping');
        $run = function (string $name, int $n) use ($number): array {
            $id = $this->id();
            "bench_hot_$name"($id, $number, $number + 1);
            return "bench_hot_$name"($id, $number, $n);
        };
        return $this->measure($names, $this->calibrate($names, $run), $run, 0);
    }

    /** Calls for many identities, in the order of $ids; each has been seen before. */
    protected function among(IdStream $ids, array $names): array
    {
        $run = static fn (string $name, int $n): array => "bench_random_$name"($ids->next($n), self::OUT_OF_REACH);
        return $this->measure($names, $this->calibrate($names, $run, IdStream::LENGTH), $run, 1);
    }

    /**
     * @param array<string, int>                      $n   calls of each in a round
     * @param callable(string, int): array{int, int} $run
     */
    protected function measure(array $names, array $n, callable $run, int $admittedPerCall): array
    {
        $rounds = new Rounds($this->rounds);
        return $rounds->run($names, function (string $name) use ($n, $run, $admittedPerCall): array {
            $meter = $this->meter();
            $before = Rounds::disturbances();
            [$ns, $admitted] = $run($name, $n[$name]);
            $disturbed = $meter === null && Rounds::disturbances() > $before;
            $more = $meter === null ? [] : $meter($n[$name]);
            $this->expect($name, $admittedPerCall ? 'a limit out of reach' : 'a limit that is reached',
                $admittedPerCall * $n[$name], $admitted);
            return [$ns / $n[$name], $more, $disturbed];
        })->results(floor: isset($this->contestants['ping']) ? 'ping' : 'floor');
    }

    /**
     * Begins to watch what else a measurement costs; what it returns gives that for one of n calls. With one, another
     * process has its turns on the same processor, and that is no disturbance.
     */
    protected function meter(): ?callable
    {
        return null;
    }

    /** How many calls of each fill a round; warms everything up on the way. */
    protected function calibrate(array $names, callable $run, int $max = PHP_INT_MAX): array
    {
        $calls = [];
        foreach ($names as $name) {
            for ($n = 64;; $n *= 2) {
                [$ns] = $run($name, $n);
                if ($ns * 4 >= $this->ns || $n * 2 > $max) {
                    break;
                }
            }
            $calls[$name] = max(20, min($max, (int) ($n * $this->ns / max(1, $ns))));
        }
        return $calls;
    }

    /** Identities that nobody has used. */
    protected function fresh(int $n): array
    {
        $ids = range($this->next, $this->next + $n - 1);
        $this->next += $n;
        return $ids;
    }

    /** One that nobody has used, with room behind it. */
    protected function id(): int
    {
        return $this->next += 10_000_000;
    }

    protected function expect(string $name, string $what, int $expected, int $admitted): void
    {
        if ($this->contestants[$name]['admits'] !== null && $admitted !== $expected) {
            throw new RuntimeException("$name admitted $admitted calls instead of $expected ($what)");
        }
    }
}
