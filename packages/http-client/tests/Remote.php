<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient\Tests;

/** The remote API of server.php, on a port of its own. It ends with the object. */
final class Remote
{
    public readonly string $url;

    private readonly string $folder;

    /** @var resource */
    private $process;

    public function __construct(int $limit = 1, int $window = 1000, string $kind = 'log', int $jitter = 0, string $headers = 'none')
    {
        $this->folder = sys_get_temp_dir().'/ratelimit-remote-'.bin2hex(random_bytes(6));
        mkdir($this->folder, 0700);
        $address = stream_socket_get_name(stream_socket_server('tcp://127.0.0.1:0'), false);
        $this->url = "http://$address";
        // Each worker serves one call at a time. The processes are a group of their own, because its master does not end them.
        $this->process = proc_open(['setsid', \PHP_BINARY, '-n', '-S', $address, __DIR__.'/server.php'], [1 => ['file', '/dev/null', 'w'], 2 => ['file', "$this->folder/log", 'w']], $pipes, null, [
            'PHP_CLI_SERVER_WORKERS' => '12', 'STATE' => "$this->folder/state", 'LIMIT' => (string) $limit, 'WINDOW' => (string) $window,
            'KIND' => $kind, 'JITTER' => (string) $jitter, 'HEADERS' => $headers, 'PATH' => (string) getenv('PATH'),
        ]);
        for ($i = 0; $i < 500 && false === @file_get_contents("$this->url/state"); ++$i) {
            usleep(20_000);
        }
    }

    public function __destruct()
    {
        posix_kill(-proc_get_status($this->process)['pid'], \SIGKILL);
        proc_close($this->process);
        array_map('unlink', glob("$this->folder/*"));
        rmdir($this->folder);
    }

    /** @return array<string, int|float> the numbers of all calls */
    public function state(): array
    {
        return json_decode(file_get_contents("$this->url/state"), true);
    }
}
