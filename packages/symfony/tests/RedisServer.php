<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use PHPUnit\Framework\Assert;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/** A redis-server on a unix socket in a folder of its own. It ends with the object. */
final class RedisServer
{
    public readonly string $dsn;

    private readonly string $folder;

    private readonly Process $process;

    public function __construct()
    {
        $finder = new ExecutableFinder();
        $binary = $finder->find('redis-server') ?? $finder->find('valkey-server') ?? Assert::markTestSkipped('redis-server is not installed.');
        $this->folder = sys_get_temp_dir().'/ratelimit-symfony-redis-'.bin2hex(random_bytes(6));
        mkdir($this->folder, 0700);
        $this->dsn = "unix://$this->folder/socket";
        $this->process = new Process([$binary, '--port', '0', '--unixsocket', "$this->folder/socket", '--save', '', '--dir', $this->folder], timeout: null);
        $this->process->start();
        for ($i = 0; $i < 1000 && !$connection = @stream_socket_client($this->dsn); ++$i) {
            usleep(20_000);
        }
        Assert::assertNotFalse($connection, $this->process->getErrorOutput());
    }

    public function __destruct()
    {
        $this->stop();
        (new Filesystem())->remove($this->folder);
    }

    public function stop(): void
    {
        $this->process->stop(2);
    }
}
