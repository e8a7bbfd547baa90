<?php

namespace FrequencyLimit\Laravel\Tests;

use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/** A redis-server of its own, on a unix socket and a port of the loopback address, which ends with the object. */
final class RedisServer
{
    private function __construct(private readonly Process $process, public readonly string $folder, public readonly int $port)
    {
    }

    /** Returns null where there is no redis-server. */
    public static function start(): ?self
    {
        $binary = (new ExecutableFinder)->find('redis-server');
        if ($binary === null) {
            return null;
        }

        $folder = sys_get_temp_dir().'/ratelimit-redis-'.bin2hex(random_bytes(4));
        mkdir($folder, 0700);
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $port = (int) substr(strrchr(stream_socket_get_name($socket, false), ':'), 1);
        fclose($socket);

        $process = new Process([$binary, '--port', (string) $port, '--bind', '127.0.0.1', '--unixsocket', "$folder/redis.sock", '--save', '', '--dir', $folder], $folder, null, null, null);
        $process->start();
        $until = microtime(true) + 20;
        while (! ($connection = @stream_socket_client("unix://$folder/redis.sock")) && $process->isRunning() && microtime(true) < $until) {
            usleep(10_000);
        }

        return $connection ? new self($process, $folder, $port) : null;
    }

    public function dsn(): string
    {
        return "unix://$this->folder/redis.sock";
    }

    public function __destruct()
    {
        $this->process->stop(2);
        foreach (glob("$this->folder/*") as $file) {
            @unlink($file);
        }
        @rmdir($this->folder);
    }
}
