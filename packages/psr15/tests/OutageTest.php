<?php

declare(strict_types=1);

namespace Ratelimit\Psr15\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\StoreException;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use Nyholm\Psr7\ServerRequest;
use PHPUnit\Framework\Attributes\TestWith;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Ratelimit\Psr15\RateLimitMiddleware;

/** Redis ends while a handler runs. */
final class OutageTest extends TestCase
{
    private RedisServer $redis;
    private string $log;
    private string $setting;

    protected function setUp(): void
    {
        parent::setUp();
        // Redis has a clock of its own.
        Clock::unfreeze();
        $this->redis = new RedisServer();
        $this->log = tempnam(sys_get_temp_dir(), 'ratelimit');
        $this->setting = (string) ini_set('error_log', $this->log);
    }

    protected function tearDown(): void
    {
        if (isset($this->setting)) {
            ini_set('error_log', $this->setting);
            unlink($this->log);
        }
        parent::tearDown();
    }

    public function testTheAnswerOfTheHandlerStays(): void
    {
        $answer = $this->ask(function (): ResponseInterface {
            $this->redis->stop();

            return new Response(201, [], 'made');
        });
        self::assertSame([201, 'made', '"site";r=0;t=60, "user";r=0;t=60'], [$answer->getStatusCode(), (string) $answer->getBody(), $answer->getHeaderLine('RateLimit')]);
        self::assertSame(1, $this->lines(), 'One line for two middlewares');
    }

    public function testTheExceptionOfTheHandlerStays(): void
    {
        try {
            $this->ask(function (): never {
                $this->redis->stop();

                throw new \DomainException();
            });
            self::fail('No exception.');
        } catch (\DomainException) {
        }
        self::assertSame(1, $this->lines());
    }

    #[TestWith(['local', 201])]
    #[TestWith(['allow', 201])]
    #[TestWith(['deny', 503])]
    #[TestWith(['throw', null])]
    public function testAnAwayRedisDecidesByThePolicyBeforeTheHandler(string $policy, ?int $status): void
    {
        $setting = (string) ini_set('ratelimit.on_failure', $policy);
        $this->redis->stop();
        try {
            self::assertSame($status, $this->ask(static fn (): ResponseInterface => new Response(201))->getStatusCode());
        } catch (StoreException) {
            self::assertNull($status);
        } finally {
            ini_set('ratelimit.on_failure', $setting);
        }
    }

    /** Asks a handler behind two middlewares with concurrent limits. */
    private function ask(\Closure $handler): ResponseInterface
    {
        [$site, $user] = array_map(fn (string $name): RateLimitMiddleware => new RateLimitMiddleware(new Limiter($name, Limit::concurrent(1, 60)->named($name), $this->redis->dsn.'?connect_timeout=10000&timeout=10000'), new Psr17Factory()), ['site', 'user']);
        $request = new ServerRequest('POST', 'https://example.org/path', serverParams: ['REMOTE_ADDR' => '192.0.2.1']);

        return $site->process($request, new Handler(static fn (ServerRequestInterface $request): ResponseInterface => $user->process($request, new Handler($handler))));
    }

    private function lines(): int
    {
        return substr_count((string) file_get_contents($this->log), 'ratelimit: not done after a request: ');
    }
}
