<?php

/** Processes that decide at the same time, on the two processors of BENCH_CPUS in turn. */
final class Processes
{
    /**
     * Runs $work(0), $work(1) … in a child each, from the same moment; the first one has the processor $from of BENCH_CPUS.
     *
     * @param callable(int): array{int, int} $work returns its time in ns and its admissions
     * @return list<array{int, int, int}> the same, and how often another process had its processor
     */
    public static function run(int $processes, callable $work, int $from = 0): array
    {
        $children = [];
        for ($rank = 0; $rank < $processes; ++$rank) {
            $children += self::fork(static function (int $start) use ($rank, $work): array {
                while (hrtime(true) < $start) {
                }
                $disturbances = Rounds::disturbances();
                [$ns, $admitted] = $work($rank);
                return [$ns, $admitted, Rounds::disturbances() - $disturbances];
            }, self::processors()[($from + $rank) % 2]);
        }
        return self::collect($children, 1_000_000);
    }

    /**
     * Repeats $work(rank, 0), $work(rank, 1) … in a child each until $ns have passed, at least once.
     *
     * @param callable(int, int): array{int, int} $work returns its calls and its admissions
     * @return array{int, int, int} the ns until the last one's end, the calls and the admissions of all
     */
    public static function during(int $processes, int $ns, callable $work): array
    {
        $children = [];
        // A child inherits this process' processor: to ask for its own takes longer than many processes run.
        foreach (self::processors() as $parity => $processor) {
            self::pin(getmypid(), $processor);
            for ($rank = $parity; $rank < $processes; $rank += 2) {
                $children += self::fork(static function (int $start) use ($rank, $ns, $work): array {
                    $calls = $admitted = $i = 0;
                    do {
                        [$more, $passed] = $work($rank, $i++);
                        $calls += $more;
                        $admitted += $passed;
                    } while (($now = hrtime(true)) < $start + $ns);
                    return [$now - $start, $calls, $admitted];
                });
            }
        }
        self::pin(getmypid(), implode(',', self::processors()));
        $results = self::collect($children, 0);
        return [max(array_column($results, 0)), array_sum(array_column($results, 1)), array_sum(array_column($results, 2))];
    }

    /** @return array{string, string} */
    private static function processors(): array
    {
        return explode(' ', getenv('BENCH_CPUS') ?: '0 1');
    }

    private static function pin(int $pid, string $processors): void
    {
        shell_exec("taskset -cp $processors $pid 2>/dev/null");
    }

    /**
     * Starts a child that waits for its start.
     *
     * @param callable(int): list<int> $work      of the start, in ns of hrtime()
     * @param ?string                  $processor the child's; null: this process'
     * @return array<int, resource> its pid => its pipe
     */
    private static function fork(callable $work, ?string $processor = null): array
    {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
        $pid = pcntl_fork();
        if ($pid < 0) {
            throw new RuntimeException('fork failed');
        }
        if ($pid > 0) {
            fclose($pair[1]);
            return [$pid => $pair[0]];
        }
        fclose($pair[0]);
        // A process that migrates between processors would be measured with cold caches.
        if ($processor !== null) {
            self::pin(getmypid(), $processor);
        }
        fwrite($pair[1], "ready\n");
        fwrite($pair[1], implode(' ', $work((int) fgets($pair[1]))) . "\n");
        fclose($pair[1]);
        // Without destructors and shutdown: those are the parent's.
        posix_kill(getmypid(), SIGKILL);
        exit;
    }

    /**
     * Starts all children in so many ns, and waits for their results.
     *
     * @param array<int, resource> $children
     * @return list<list<int>>
     */
    private static function collect(array $children, int $ns): array
    {
        array_map('fgets', $children);
        $start = hrtime(true) + $ns;
        foreach ($children as $pipe) {
            fwrite($pipe, "$start\n");
        }
        $results = [];
        foreach ($children as $pid => $pipe) {
            $line = fgets($pipe);
            pcntl_waitpid($pid, $status);
            if ($line === false) {
                throw new RuntimeException('a measuring process died');
            }
            $results[] = array_map('intval', explode(' ', $line));
        }
        return $results;
    }
}
