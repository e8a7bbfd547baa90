<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use FrequencyLimit\Polyfill\Redis\Address;
use FrequencyLimit\Polyfill\Redis\Connection;
use FrequencyLimit\Polyfill\Redis\PhpredisConnection;
use FrequencyLimit\Polyfill\Redis\PredisConnection;
use FrequencyLimit\Polyfill\Redis\Tls;
use PHPUnit\Framework\TestCase;

/** A redis-server on a unix socket in a folder of its own. */
final class RedisServer
{
    private readonly string $folder;
    /** @var resource|null */
    private $process = null;
    private ?Connection $connection = null;

    /** @param list<string> $options of redis-server's command line */
    public function __construct(private readonly array $options = [])
    {
        $this->folder = sys_get_temp_dir() . '/polyfill-' . bin2hex(random_bytes(6));
        mkdir($this->folder, 0700);
        $this->start();
    }

    public function __destruct()
    {
        $this->stop();
        foreach (glob("$this->folder/*") ?: [] as $file) {
            unlink($file);
        }
        rmdir($this->folder);
    }

    public function start(): void
    {
        exec('command -v redis-server || command -v valkey-server', $found);
        if (!$found) {
            TestCase::markTestSkipped('redis-server is not installed.');
        }
        $process = proc_open(
            [$found[0], '--port', '0', '--unixsocket', $this->socket(), '--dir', $this->folder, '--save', '', ...$this->options],
            [['pipe', 'r'], ['file', "$this->folder/log", 'a'], ['file', "$this->folder/log", 'a']],
            $pipes,
        );
        if ($process === false) {
            throw new \RuntimeException('redis-server does not start');
        }
        $this->process = $process;
        for ($tries = 0; $tries < 2000 && @stream_socket_client('unix://' . $this->socket()) === false; $tries++) {
            usleep(5_000);
        }
    }

    public function stop(): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process, 9);
            proc_close($this->process);
        }
        $this->process = null;
        $this->connection = null;
    }

    public function socket(): string
    {
        return "$this->folder/redis.sock";
    }

    /** A busy machine must not look like a dead Redis. */
    public function dsn(string $options = '', string $login = ''): string
    {
        return "unix://$login{$this->socket()}?timeout=20000&connect_timeout=20000$options";
    }

    public function __invoke(string ...$command): mixed
    {
        $class = \extension_loaded('redis') ? PhpredisConnection::class : PredisConnection::class;
        $this->connection ??= new $class(new Address($this->socket(), 0), new Tls(), 10_000, 10_000);
        return $this->connection->send([array_values($command)])[0];
    }
}
