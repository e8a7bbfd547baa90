<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use PHPUnit\Framework\Assert;

/** Starts processes. */
final class Processes
{
    /**
     * Runs a closure in forks, which share the segment, and returns the sum of its results.
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

    /**
     * Returns the options by which this process has loaded the extension, for another one.
     *
     * @return list<string>
     */
    public static function extension(): array
    {
        $options = [];
        foreach (is_readable('/proc/self/cmdline') ? explode("\0", (string) file_get_contents('/proc/self/cmdline')) : [] as $argument) {
            if (preg_match('/^(?:-d)?((?:zend_)?extension(?:_dir)?=.+)$/', $argument, $match)) {
                array_push($options, '-d', $match[1]);
            }
        }

        return $options;
    }
}
