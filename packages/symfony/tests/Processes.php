<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use PHPUnit\Framework\Assert;

/** Runs a closure in forks, which share the segment. */
final class Processes
{
    /**
     * Returns the sum of what the closures return.
     *
     * @param \Closure(): int $closure
     */
    public static function count(int $processes, \Closure $closure): int
    {
        if (!\function_exists('pcntl_fork')) {
            Assert::markTestSkipped('The extension pcntl is not loaded.');
        }
        // The forks wait until the gate is closed, and then run together.
        [$gate, $opener] = stream_socket_pair(\STREAM_PF_UNIX, \STREAM_SOCK_STREAM, 0);
        $sockets = [];
        for ($i = 0; $i < $processes; ++$i) {
            [$here, $there] = stream_socket_pair(\STREAM_PF_UNIX, \STREAM_SOCK_STREAM, 0);
            $process = pcntl_fork();
            if (0 === $process) {
                fclose($opener);
                fread($gate, 1);
                fwrite($there, $closure()."\n");
                posix_kill(posix_getpid(), \SIGKILL);
            }
            fclose($there);
            $sockets[$process] = $here;
        }
        fclose($gate);
        fclose($opener);
        $sum = 0;
        foreach ($sockets as $process => $socket) {
            $sum += (int) fgets($socket);
            pcntl_waitpid($process, $status);
        }

        return $sum;
    }
}
