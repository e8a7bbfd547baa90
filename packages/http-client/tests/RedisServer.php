<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient\Tests;

use PHPUnit\Framework\Assert;

/** A redis-server on a unix socket in a folder of its own. It ends with the object. */
final class RedisServer
{
    public readonly string $dsn;

    private readonly string $folder;

    /** @var resource|null */
    private $process;

    public function __construct()
    {
        exec('command -v redis-server || command -v valkey-server', $found);
        if (!$found) {
            Assert::markTestSkipped('redis-server is not installed.');
        }
        $this->folder = sys_get_temp_dir().'/ratelimit-http-client-'.bin2hex(random_bytes(6));
        mkdir($this->folder, 0700);
        $this->dsn = "unix://$this->folder/socket";
        $this->process = proc_open([$found[0], '--port', '0', '--unixsocket', "$this->folder/socket", '--save', '', '--dir', $this->folder], [1 => ['file', '/dev/null', 'w']], $pipes);
        for ($i = 0; $i < 1000 && !$connection = @stream_socket_client($this->dsn); ++$i) {
            usleep(20_000);
        }
        Assert::assertNotFalse($connection, 'redis-server does not start.');
    }

    public function __destruct()
    {
        $this->stop();
        @unlink("$this->folder/socket");
        rmdir($this->folder);
    }

    public function stop(): void
    {
        if (null !== $this->process) {
            proc_terminate($this->process, \SIGKILL);
            proc_close($this->process);
            $this->process = null;
        }
    }
}
