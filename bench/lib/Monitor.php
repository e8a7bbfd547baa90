<?php

declare(strict_types=1);

/** The commands that reach the Redis server of BENCH_REDIS while something runs. */
final class Monitor
{
    /** @return list<list<string>> */
    public static function watch(callable $work): array
    {
        $where = (string) getenv('BENCH_REDIS');
        $stream = stream_socket_client($where[0] === '/' ? "unix://$where" : "tcp://$where");
        fwrite($stream, "MONITOR\r\n");
        fgets($stream);
        $work();
        Peers::redis()->rawCommand('ECHO', 'that was all');
        $commands = [];
        while (($line = fgets($stream)) !== false && !str_contains($line, '"that was all"')) {
            // +1700000000.123456 [0 unix:/path] "GET" "key": what a script does has no connection of its own.
            if (preg_match('/^\+\S+ \[\d+ (?!lua\b)[^]]*\] (.*)$/s', $line, $found)) {
                preg_match_all('/"((?:[^"\\\\]|\\\\.)*)"/s', $found[1], $words);
                $commands[] = array_map('stripcslashes', $words[1]);
            }
        }
        fclose($stream);
        return $commands;
    }
}
