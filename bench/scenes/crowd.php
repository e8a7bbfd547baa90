<?php

declare(strict_types=1);

require_once __DIR__ . '/../lib/Processes.php';

/**
 * 1 to 64 processes on one segment, half of them on either of two processors: all decide for one identity, or for 200,000.
 *
 * The ns are those that a processor spends on one decision, and "rate" the decisions of all processes in a second. Two
 * processors cannot show how more of them scale. They show the loss by each other: a process may lose its processor at
 * any instruction, so that others wait for a lock that it holds.
 */
final class CrowdScene extends Scene
{
    public const ALSO = ['loop', 'floor', 'dohandle', 'allow', 'fixed_window', 'sliding_window', 'token_bucket', 'apcu_inc'];

    private const PROCESSES = [1, 2, 4, 8, 16, 32, 64];
    private const IDENTITIES = 200_000;
    /** The limit that all processes together reach, and more calls than that. */
    private const REACHED = 50_000;
    private const CALLS = 60_000;
    /** So short that the processes end together. */
    private const CHUNK_NS = 100_000;
    /** Each process has its processor several times. */
    private const PROCESS_NS = 4_000_000;
    private const CHUNKS = 64;

    public function run(): array
    {
        $names = array_keys($this->contestants);
        $hot = fn (string $name, int $n): array => "bench_hot_$name"($this->id(), self::OUT_OF_REACH, $n);
        $n = array_map(fn (int $n): int => max(20, intdiv($n * self::CHUNK_NS, $this->ns)), $this->calibrate($names, $hot, self::OUT_OF_REACH >> 1));
        $series = ['reached' => $this->reached()];
        foreach (self::PROCESSES as $processes) {
            $series["one $processes"] = $this->crowd($processes, $names, function (string $name) use ($n): callable {
                $id = $this->id();
                return static fn (): array => [$n[$name], "bench_hot_$name"($id, self::OUT_OF_REACH, $n[$name])[1]];
            });
        }
        foreach ($names as $name) {
            "bench_random_$name"(range(1, self::IDENTITIES), self::OUT_OF_REACH);
        }
        $ids = IdStream::uniform(self::IDENTITIES);
        foreach (self::PROCESSES as $processes) {
            $series["many $processes"] = $this->crowd($processes, $names, static function (string $name) use ($n, $ids): callable {
                $chunks = array_map(static fn (): array => $ids->next($n[$name]), range(1, self::CHUNKS));
                return static fn (int $rank, int $i): array => [$n[$name],
                    "bench_random_$name"($chunks[($rank * 7 + $i) % self::CHUNKS], self::OUT_OF_REACH)[1]];
            });
        }
        return $series;
    }

    /** The limit is reached in the middle of the calls of all 64 processes: exactly that many pass. */
    private function reached(): array
    {
        $reached = [];
        foreach ($this->limiting() as $name) {
            $id = $this->id();
            $each = intdiv(self::CALLS, max(self::PROCESSES));
            $results = Processes::run(max(self::PROCESSES), static fn (): array => "bench_hot_$name"($id, self::REACHED, $each));
            $admitted = array_sum(array_column($results, 1));
            $this->expect($name, 'a limit reached by 64 processes', ($this->contestants[$name]['admits'])(self::REACHED), $admitted);
            $reached[$name] = $admitted;
        }
        return $reached;
    }

    /** @param callable(string): callable(int, int): array{int, int} $work */
    private function crowd(int $processes, array $names, callable $work): array
    {
        $duration = max(intdiv(12 * $this->ns, 5), self::PROCESS_NS * $processes);
        return (new Rounds(max(1, intdiv($this->rounds, 7))))->run($names, function (string $name) use ($processes, $duration, $work): array {
            [$ns, $calls, $admitted] = Processes::during($processes, $duration, $work($name));
            $this->expect($name, "$processes processes", $calls, $admitted);
            return [$ns * min(2, $processes) / $calls, ['rate' => $calls * 1e9 / $ns], false];
        })->results();
    }
}
