<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use PHPUnit\Framework\Attributes\TestWith;
use Ratelimit\HttpClient\RemoteLimit;

/** Counts on Redis: other machines know of them, and answers stay when Redis ends. */
final class RedisTest extends TestCase
{
    private RedisServer $redis;

    protected function setUp(): void
    {
        parent::setUp();
        // Redis has a clock of its own.
        Clock::unfreeze();
        $this->redis = new RedisServer();
    }

    /** @param array<string, string> $headers */
    #[TestWith([429, ['Retry-After' => '20']])]
    #[TestWith([200, ['RateLimit' => '"minute";r=0;t=20']])]
    #[TestWith([200, ['X-RateLimit-Remaining' => '1', 'X-RateLimit-Reset' => '20'], 1])]
    public function testAnotherMachineTakesOverWhatTheRemoteSays(int $status, array $headers, int $left = 0): void
    {
        $call = (new RemoteLimit('api', Limit::fixedWindow(100, 60), store: $this->redis->dsn))->begin('GET', 'https://api.example');
        $call->await();
        usleep(2000); // The network takes its time.
        $call->answered($status, static fn (string $name): string => $headers[$name] ?? '');
        // A process with a segment of its own.
        $code = 'require $argv[1]; foreach ([1, 2] as $i) {
            echo ceil((new Ratelimit\HttpClient\RemoteLimit("api", FrequencyLimit\Limit::fixedWindow(100, 60), store: $argv[2]))->begin("GET", "https://api.example")->take()), " ";
        }';
        exec(implode(' ', array_map('escapeshellarg', [\PHP_BINARY, '-d', 'ratelimit.shm_path=private', '-r', $code, '--', \dirname(__DIR__).'/vendor/autoload.php', $this->redis->dsn])), $lines);
        self::assertSame($left > 0 ? '0 20' : '20 20', $lines[0]);
    }

    #[TestWith([200, false])]
    #[TestWith([429, true])]
    public function testTheAnswerStaysAndTheFailureIsALineInTheLog(int $status, bool $isRepeated): void
    {
        $remote = new RemoteLimit('api', Limit::concurrent(1, 60), store: $this->redis->dsn);
        $log = tempnam(sys_get_temp_dir(), 'ratelimit');
        $setting = (string) ini_set('error_log', $log);
        try {
            for ($i = 0; $i < 2; ++$i) {
                $call = $remote->begin('GET', 'https://api.example');
                $call->await();
                $this->redis->stop();
                $headers = ['Retry-After' => '1', 'RateLimit' => '"default";r=0;t=1'];
                self::assertSame($isRepeated, $call->answered($status, static fn (string $name): string => $headers[$name] ?? ''));
            }
        } finally {
            ini_set('error_log', $setting);
        }
        self::assertSame(1, substr_count((string) file_get_contents($log), 'ratelimit: not done after an answer: '));
        unlink($log);
    }
}
