<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use PHPUnit\Framework\TestCase as PHPUnitTestCase;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/**
 * An application with the folders and files of Symfony's skeleton, on the framework in vendor: two web servers, consumers of its queue, and
 * its console. They have one memory.
 */
final class ApplicationTest extends PHPUnitTestCase
{
    private static string $folder = '';

    /** @var array<string, Process> by address */
    private static array $servers = [];

    public static function setUpBeforeClass(): void
    {
        if (!\extension_loaded('ratelimit')) {
            self::markTestSkipped('The extension ratelimit is not loaded.');
        }
        self::$folder = sys_get_temp_dir().'/ratelimit-application-'.bin2hex(random_bytes(6));
        (new Filesystem())->mirror(__DIR__.'/application', self::$folder);
        (new Filesystem())->mkdir([self::$folder.'/var/sessions', self::$folder.'/var/queue']);
        (new Filesystem())->dumpFile(self::$folder.'/limiters.ini', "[api]\nminute = log:12/60s,unit=requests\n[orders]\nhour = fixed:9/1h\n");
        (new Filesystem())->dumpFile(self::$folder.'/vendor/autoload.php', '<?php require '.var_export(__DIR__.'/bootstrap.php', true)
            .'; $loader = new Composer\Autoload\ClassLoader(); $loader->addPsr4("App\\\\", dirname(__DIR__)."/src/"); $loader->register();');
        self::console('cache:clear');
        for ($n = 0; $n < 2; ++$n) {
            $socket = stream_socket_server('tcp://127.0.0.1:0');
            self::assertNotFalse($socket);
            $address = (string) stream_socket_get_name($socket, false);
            fclose($socket);
            $server = self::$servers[$address] = self::php(['-S', $address, '-t', 'public', 'public/index.php']);
            $server->start();
            for ($i = 0; $i < 1500 && $server->isRunning() && !@stream_socket_client("tcp://$address"); ++$i) {
                usleep(20_000);
            }
        }
    }

    public static function tearDownAfterClass(): void
    {
        foreach (self::$servers as $server) {
            $server->stop(2);
        }
        self::$servers = [];
        (new Filesystem())->remove(self::$folder);
    }

    public function testTheLoginRefusesAndShowsTheTime(): void
    {
        $session = [];
        foreach (['Invalid credentials.', 'Invalid credentials.', 'Too many failed login attempts, please try again in 1 minute.'] as $message) {
            $answer = self::ask('/login', ['Content-Type: application/x-www-form-urlencoded', ...$session], '_username=ann&_password=wrong');
            self::assertSame(302, $answer['status'], $answer['body']);
            preg_match('/^Set-Cookie: ([^;]+)/mi', $answer['head'], $found);
            $session = isset($found[1]) ? ["Cookie: $found[1]"] : $session;
            self::assertSame($message, self::ask('/login', $session)['body']);
        }
    }

    public function testTwoServersAdmitExactlyTheLimitOfTheApi(): void
    {
        $calls = array_map(static fn (): mixed => self::send('/api/books', self::user('ann')), range(1, 20));
        $answers = array_map(self::read(...), $calls);
        $statuses = array_count_values(array_column($answers, 'status'));
        self::assertSame([200 => 12, 429 => 8], [200 => $statuses[200] ?? 0, 429 => $statuses[429] ?? 0], print_r($answers[0], true));
        $refusals = array_values(array_filter($answers, static fn (array $answer): bool => 429 === $answer['status']));
        self::assertStringContainsStringIgnoringCase('RateLimit-Policy: "minute";q=12;qu="requests";w=60', $refusals[0]['head']);
        self::assertSame(['minute'], json_decode($refusals[0]['body'], true)['violated-policies']);
        self::assertSame([200, 401], [self::ask('/api/books', self::user('bob'))['status'], self::ask('/api/books')['status']], 'another user, and none');
    }

    /** The attributes of the class and of the method are one decision. A ban of the console holds for the consumers. */
    public function testConsumersOfTheQueueShareTheLimit(): void
    {
        $statuses = array_map(static fn (): int => self::ask('/api/jobs', self::user('eve'), '{}')['status'], range(1, 11));
        self::assertSame([...array_fill(0, 9, 202), 429, 429], $statuses, implode("", array_map(static fn (Process $server): string => $server->getErrorOutput(), self::$servers)));
        self::console('ratelimit:ban', 'jobs', 'all', '--for=1h');
        self::consume(1);
        self::assertSame('000', file_get_contents(self::$folder.'/var/jobs'), 'banned');
        self::console('ratelimit:unban', 'jobs', 'all');
        self::consume(2);
        $accepted = (string) file_get_contents(self::$folder.'/var/jobs');
        self::assertSame([9, 4], [\strlen($accepted), array_sum(str_split($accepted))], $accepted);
        self::assertStringContainsString('jobs', self::console('ratelimit:top'));
    }

    /** Lets so many consumers handle three messages each. */
    private static function consume(int $consumers): void
    {
        $consumers = array_map(static fn (): Process => self::php(['bin/console', 'messenger:consume', 'async', '--limit=3', '--time-limit=60']), range(1, $consumers));
        array_map(static fn (Process $consumer) => $consumer->start(), $consumers);
        foreach ($consumers as $consumer) {
            self::assertSame(0, $consumer->wait(), $consumer->getOutput().$consumer->getErrorOutput());
        }
    }

    private static function console(string ...$arguments): string
    {
        $command = self::php(['bin/console', ...$arguments]);
        $command->run();
        self::assertSame(0, $command->getExitCode(), $command->getOutput().$command->getErrorOutput());

        return $command->getOutput();
    }

    /**
     * @param list<string>          $arguments
     * @param array<string, string> $environment
     */
    private static function php(array $arguments, array $environment = []): Process
    {
        return new Process([\PHP_BINARY, ...Processes::extension(), '-d', 'ratelimit.shm_path='.self::$folder.'/var/segment', '-d', 'ratelimit.limiters='.self::$folder.'/limiters.ini', ...$arguments],
            self::$folder, $environment + ['APP_SECRET' => 'secret', 'MESSENGER_TRANSPORT_DSN' => 'folder://'.self::$folder.'/var/queue'], null, 120);
    }

    /** @return list<string> */
    private static function user(string $name): array
    {
        return ['Authorization: Basic '.base64_encode("$name:right"), 'Accept: application/json'];
    }

    /**
     * @param list<string> $headers
     * @return array{status: int, head: string, body: string}
     */
    private static function ask(string $path, array $headers = [], ?string $body = null): array
    {
        return self::read(self::send($path, $headers, $body));
    }

    /** @param list<string> $headers */
    private static function send(string $path, array $headers = [], ?string $body = null): mixed
    {
        $address = next(self::$servers) ? key(self::$servers) : (reset(self::$servers) ? key(self::$servers) : '');
        $connection = stream_socket_client("tcp://$address");
        self::assertNotFalse($connection);
        fwrite($connection, (null === $body ? 'GET' : 'POST')." $path HTTP/1.0\r\nHost: localhost\r\nContent-Length: ".\strlen((string) $body)."\r\n".implode('', array_map(static fn (string $header): string => "$header\r\n", $headers))."\r\n$body");

        return $connection;
    }

    /** @return array{status: int, head: string, body: string} */
    private static function read(mixed $connection): array
    {
        stream_set_timeout($connection, 60);
        [$head, $body] = explode("\r\n\r\n", (string) stream_get_contents($connection), 2) + [1 => ''];

        return ['status' => (int) substr($head, 9, 3), 'head' => $head, 'body' => $body];
    }
}
