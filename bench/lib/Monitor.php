<?php

declare(strict_types=1);

/** Records the commands that reach the Redis server of BENCH_REDIS during a call. */
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
            // +1700000000.123456 [0 unix:/path] "GET" "key": a script's commands have no connection of their own.
            if (preg_match('/^\+\S+ \[\d+ (?!lua\b)[^]]*\] (.*)$/s', $line, $found)) {
                preg_match_all('/"((?:[^"\\\\]|\\\\.)*)"/s', $found[1], $words);
                $commands[] = array_map('stripcslashes', $words[1]);
            }
        }
        fclose($stream);
        return $commands;
    }
}
