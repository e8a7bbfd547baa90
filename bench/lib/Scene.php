<?php

declare(strict_types=1);

/** The scenes' shared code: identities, the number of calls in a round, and the check of every count. */
abstract class Scene
{
    /** The largest limit, which no round reaches. */
    protected const OUT_OF_REACH = 16_777_215;

    /** The calls of an identity whose cost grows with each of them. */
    protected const HUNDRED = 100;

    /** The calls after which an identity that is kept has its leases. */
    private const TO_LEARN = 20_000;

    /** Contestants of every scene. */
    public const ALSO = [];

    private int $next = 1_000_000;

    /** @var array<string, int> the identities of those that keep theirs */
    private array $kept = [];

    /**
     * @param array<string, array> $contestants
     * @param int                  $ns          the duration of one measurement of a round
     */
    final public function __construct(
        protected readonly array $contestants,
        protected readonly int $rounds,
        protected readonly int $ns,
    ) {
    }

    /** @return array<string, mixed> series of results */
    abstract public function run(): array;

    /** Checks that each admits exactly its limit of 10 from 25 calls. */
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

    /** @return list<string> the contestants with a limit, and $also */
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

    /** One identity below its limit; a hundred calls each of several, if the cost grows with them. */
    protected function admit(?array $names = null): array
    {
        $names ??= array_keys($this->contestants);
        $grows = fn (string $name): bool => isset($this->contestants[$name]['hundred']);
        $hundreds = static fn (int $n): int => max(1, intdiv($n, self::HUNDRED));
        $run = fn (string $name, int $n): array => $grows($name) ? "bench_many_$name"($this->fresh($hundreds($n)), self::HUNDRED, self::HUNDRED)
            : "bench_hot_$name"($this->identity($name), self::OUT_OF_REACH, $n);
        foreach ($this->limiting() as $name) {
            if (isset($this->contestants[$name]['keeps'])) {
                $run($name, self::TO_LEARN);
            }
        }
        $n = $this->calibrate($names, $run, self::OUT_OF_REACH - 1);
        foreach (array_filter($names, $grows) as $name) {
            $n[$name] = $hundreds($n[$name]) * self::HUNDRED;
        }
        return $this->measure($names, $n, $run, 1);
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
            $preempted = Rounds::disturbances() > $before;
            $more = $meter === null ? [] : $meter($n[$name]);
            $disturbed = $preempted && ($more['round_trips'] ?? 0) < 0.5;
            $this->expect($name, $admittedPerCall ? 'a limit out of reach' : 'a limit that is reached',
                $admittedPerCall * $n[$name], $admitted);
            return [$ns / $n[$name], $more, $disturbed];
        })->results(floor: isset($this->contestants['ping']) ? 'ping' : 'floor');
    }

    /**
     * Begins to record further costs of a measurement; the returned function gives those of one of n calls. With round trips
     * another process shares the processor by design, which is no disturbance.
     */
    protected function meter(): ?callable
    {
        return null;
    }

    /** Returns the calls of each in a round, and warms everything up. */
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

    /** Returns unused identities. */
    protected function fresh(int $n): array
    {
        $ids = range($this->next, $this->next + $n - 1);
        $this->next += $n;
        return $ids;
    }

    /** Returns an unused identity, with unused ones after it. */
    protected function id(): int
    {
        return $this->next += 10_000_000;
    }

    /** Returns an unused identity, or the one that a contestant keeps. */
    private function identity(string $name): int
    {
        return isset($this->contestants[$name]['keeps']) ? $this->kept[$name] ??= $this->id() : $this->id();
    }

    protected function expect(string $name, string $what, int $expected, int $admitted): void
    {
        if ($this->contestants[$name]['admits'] !== null && $admitted !== $expected) {
            throw new RuntimeException("$name admitted $admitted calls instead of $expected ($what)");
        }
    }
}
