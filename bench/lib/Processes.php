<?php

/** Processes that decide at the same time, on a processor each. */
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
        $pipes = $children = [];
        for ($rank = 0; $rank < $processes; ++$rank) {
            $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
            $pid = pcntl_fork();
            if ($pid < 0) {
                throw new RuntimeException('fork failed');
            }
            if ($pid === 0) {
                fclose($pair[0]);
                self::child($rank, $pair[1], $work, $from);
            }
            fclose($pair[1]);
            $pipes[] = $pair[0];
            $children[] = $pid;
        }
        foreach ($pipes as $pipe) {
            fgets($pipe);
        }
        $start = hrtime(true) + 1_000_000;
        foreach ($pipes as $pipe) {
            fwrite($pipe, "$start\n");
        }
        $results = [];
        foreach ($pipes as $i => $pipe) {
            $line = fgets($pipe);
            pcntl_waitpid($children[$i], $status);
            if ($line === false) {
                throw new RuntimeException('a measuring process died');
            }
            $results[] = array_map('intval', explode(' ', $line));
        }
        return $results;
    }

    /** @param resource $pipe */
    private static function child(int $rank, $pipe, callable $work, int $from): never
    {
        // A process that migrates between processors would be measured with cold caches.
        $cpu = explode(' ', getenv('BENCH_CPUS') ?: '0 1')[($from + $rank) % 2];
        shell_exec("taskset -cp $cpu " . getmypid() . ' 2>/dev/null');
        fwrite($pipe, "ready\n");
        $start = (int) fgets($pipe);
        while (hrtime(true) < $start) {
        }
        $disturbances = Rounds::disturbances();
        [$ns, $admitted] = $work($rank);
        $disturbances = Rounds::disturbances() - $disturbances;
        fwrite($pipe, "$ns $admitted $disturbances\n");
        fclose($pipe);
        // Without destructors and shutdown: those are the parent's.
        posix_kill(getmypid(), SIGKILL);
        exit;
    }
}
