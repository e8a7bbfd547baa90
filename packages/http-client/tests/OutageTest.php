<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use PHPUnit\Framework\Attributes\TestWith;
use Ratelimit\HttpClient\RemoteLimit;

/** Redis ends while a call waits for its answer. */
final class OutageTest extends TestCase
{
    #[TestWith([200, false])]
    #[TestWith([429, true])]
    public function testTheAnswerStaysAndTheFailureIsALineInTheLog(int $status, bool $isRepeated): void
    {
        // Redis has a clock of its own.
        Clock::unfreeze();
        $redis = new RedisServer();
        $remote = new RemoteLimit('api', Limit::concurrent(1, 60), store: $redis->dsn);
        $log = tempnam(sys_get_temp_dir(), 'ratelimit');
        $setting = (string) ini_set('error_log', $log);
        try {
            for ($i = 0; $i < 2; ++$i) {
                $call = $remote->begin('GET', 'https://api.example');
                $call->await();
                $redis->stop();
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
