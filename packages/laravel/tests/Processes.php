<?php

namespace FrequencyLimit\Laravel\Tests;

/** Runs a closure in forked processes that begin together. */
final class Processes
{
    /**
     * @template T
     *
     * @param  callable(int): T  $work
     * @return list<T> what the processes return, in their order
     */
    public static function run(int $count, callable $work): array
    {
        $files = $pids = [];
        $start = tempnam(sys_get_temp_dir(), 'ratelimit-start-');

        for ($i = 0; $i < $count; $i++) {
            $files[$i] = tempnam(sys_get_temp_dir(), 'ratelimit-result-');
            $pids[$i] = pcntl_fork();
            if ($pids[$i] === 0) {
                // The process begins when its parent removes the file.
                while (is_file($start)) {
                    clearstatcache();
                    usleep(100);
                }
                try {
                    file_put_contents($files[$i], serialize($work($i)));
                } finally {
                    // Neither PHPUnit's shutdown nor its destructors run here.
                    posix_kill(getmypid(), SIGKILL);
                }
            }
        }

        unlink($start);
        $results = [];
        foreach ($pids as $i => $pid) {
            pcntl_waitpid($pid, $status);
            $results[] = unserialize(file_get_contents($files[$i]));
            unlink($files[$i]);
        }

        return $results;
    }
}
