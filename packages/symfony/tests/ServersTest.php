<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use Symfony\Component\Filesystem\Filesystem;

/** An application in processes of their own: under php-fpm, and in a PHP without the extension. */
final class ServersTest extends TestCase
{
    private string $folder = '';

    protected function setUp(): void
    {
        parent::setUp();
        $this->folder = sys_get_temp_dir().'/ratelimit-symfony-'.bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        (new Filesystem())->remove($this->folder);
        parent::tearDown();
    }

    public function testWorkersOfFpmShareTheLimit(): void
    {
        $binary = self::fpm();
        $user = 0 === posix_getuid() ? "user = root\ngroup = root\n" : '';
        file_put_contents("$this->folder/fpm.conf", "[global]\nerror_log = $this->folder/log\n[www]\n{$user}listen = $this->folder/socket\nlisten.backlog = 64\npm = static\npm.max_children = 3\nenv[RATELIMIT_TEST_FOLDER] = $this->folder\n");
        $server = proc_open([$binary, '-F', '-R', '-y', "$this->folder/fpm.conf", ...Processes::extension()], [1 => ['file', '/dev/null', 'w'], 2 => ['file', "$this->folder/errors", 'w']], $pipes);
        try {
            for ($i = 0; $i < 1500 && !file_exists("$this->folder/socket"); ++$i) {
                usleep(20_000);
            }
            self::assertFileExists("$this->folder/socket", (string) @file_get_contents("$this->folder/errors"));
            $first = $this->read($this->send('/decision'));
            self::assertMatchesRegularExpression('/X-RateLimit-Remaining: 4\r\n/i', $first);
            $answers = array_map($this->read(...), array_map(fn (): mixed => $this->send('/decision'), range(1, 20)));
            $refusals = array_values(array_filter($answers, static fn (string $answer): bool => str_contains($answer, 'Status: 429')));
            self::assertCount(16, $refusals, 'One and four of twenty calls pass.');
            self::assertMatchesRegularExpression('/Retry-After: 3[56]\d\d\r\n/i', $refusals[0]);
        } finally {
            proc_terminate($server, \SIGTERM);
            proc_close($server);
        }
    }

    public function testWithoutTheExtensionSymfonyDecides(): void
    {
        $asked = [...array_fill(0, 6, '/decision'), '/secret,ann,right', '/secret,ann,wrong', '/secret,ann,right', '/secret,ann,wrong'];
        self::assertSame('200 200 200 200 200 429 200 401 200 401 429 ', $this->runWithout([__DIR__.'/App/front.php', ...$asked, '/ensured']));
    }

    public function testAContainerOfAPhpWithTheExtensionServesWithoutIt(): void
    {
        self::assertSame('200 200 ', $this->runWith([__DIR__.'/App/front.php', '/decision', '/own,ann,right']));
        self::assertSame('200 200 200 200 200 429 200 ', $this->runWithout([__DIR__.'/App/front.php', ...array_fill(0, 6, '/decision'), '/own,ann,right']));
    }

    public function testAContainerOfAPhpWithoutTheExtensionServesWithIt(): void
    {
        self::assertSame('200 ', $this->runWithout([__DIR__.'/App/front.php', '/decision']));
        self::assertSame('200 200 429 401 ', $this->runWith([__DIR__.'/App/front.php', '/own,ann,right', '/own,bob,right', '/own,ann,right', '/own']));
    }

    public function testTheFileForTheFinalClassDoesNothingWithoutTheExtension(): void
    {
        $program = <<<'EOF'
            require $argv[1].'/tests/bootstrap.php';
            require $argv[1].'/src/replace.php';
            $kernel = new Ratelimit\Symfony\Tests\App\AppKernel(['api' => ['policy' => 'fixed_window', 'limit' => 1, 'interval' => '1 hour']], services: static function ($container): void {
                $container->register('service', Ratelimit\Symfony\Tests\App\ConcreteService::class)->setPublic(true)->setArguments([new Symfony\Component\DependencyInjection\Reference('limiter.api')]);
            });
            $kernel->boot();
            $limiter = $kernel->getContainer()->get('service')->apiLimiter->create('key');
            echo $limiter->consume()->isAccepted() ? 'accepted ' : 'refused ', $limiter->consume()->isAccepted() ? 'accepted' : 'refused';
            EOF;
        self::assertSame('accepted refused', $this->runWithout(['-r', $program, \dirname(__DIR__)]));
    }

    /**
     * Returns the output of a PHP with the extension.
     *
     * @param list<string> $arguments
     */
    private function runWith(array $arguments): string
    {
        return $this->runPhp([...Processes::extension(), ...$arguments], getenv());
    }

    /**
     * Returns the output of a PHP without the extension.
     *
     * @param list<string> $arguments
     */
    private function runWithout(array $arguments): string
    {
        // The folder of settings by which the tests load the extension.
        $environment = array_diff_key(getenv(), ['PHP_INI_SCAN_DIR' => '']);
        if ('1' === $this->runPhp(['-r', 'echo (int) extension_loaded("ratelimit");'], $environment)) {
            self::markTestSkipped('php.ini loads the extension.');
        }

        return $this->runPhp($arguments, $environment);
    }

    /**
     * @param list<string>          $arguments
     * @param array<string, string> $environment
     */
    private function runPhp(array $arguments, array $environment): string
    {
        $process = proc_open([\PHP_BINARY, ...$arguments], [1 => ['pipe', 'w']], $pipes, null, ['RATELIMIT_TEST_FOLDER' => $this->folder] + $environment);
        $output = (string) stream_get_contents($pipes[1]);
        proc_close($process);

        return $output;
    }

    private static function fpm(): string
    {
        $version = \PHP_MAJOR_VERSION.'.'.\PHP_MINOR_VERSION;
        foreach (array_filter([getenv('RATELIMIT_FPM'), \PHP_BINDIR.'/php-fpm', "/usr/sbin/php-fpm$version", '/usr/local/sbin/php-fpm']) as $binary) {
            if (is_executable($binary)) {
                return $binary;
            }
        }
        self::markTestSkipped('php-fpm is not installed. RATELIMIT_FPM names another one.');
    }

    /** Sends a request by FastCGI. */
    private function send(string $path): mixed
    {
        $connection = stream_socket_client("unix://$this->folder/socket");
        self::assertNotFalse($connection);
        $parameters = '';
        foreach (['REQUEST_METHOD' => 'GET', 'REQUEST_URI' => $path, 'SCRIPT_FILENAME' => __DIR__.'/App/front.php', 'SCRIPT_NAME' => '/front.php', 'REMOTE_ADDR' => '192.0.2.1', 'HTTP_HOST' => 'example.org'] as $name => $value) {
            $parameters .= \chr(\strlen($name)).pack('N', \strlen($value) | 0x80000000).$name.$value;
        }
        $record = static fn (int $type, string $content): string => pack('CCnnCC', 1, $type, 1, \strlen($content), 0, 0).$content;
        fwrite($connection, $record(1, pack('nCx5', 1, 0)).$record(4, $parameters).$record(4, '').$record(5, ''));

        return $connection;
    }

    /** Returns the answer of a request, its headers in front. */
    private function read(mixed $connection): string
    {
        stream_set_timeout($connection, 60);
        $stream = (string) stream_get_contents($connection);
        // A worker waits until its client has closed the connection.
        fclose($connection);
        $answer = '';
        for ($at = 0; $at + 8 <= \strlen($stream); $at += 8 + $record['length'] + $record['padding']) {
            $record = unpack('Cversion/Ctype/nid/nlength/Cpadding/x', $stream, $at);
            $answer .= 6 === $record['type'] ? substr($stream, $at + 8, $record['length']) : '';
        }

        return $answer;
    }
}
