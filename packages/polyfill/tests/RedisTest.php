<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use FrequencyLimit;
use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Polyfill\Guard\Guards;
use FrequencyLimit\Polyfill\Redis\ClusterTopology;
use FrequencyLimit\Polyfill\Redis\ErrorReply;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Reason;
use FrequencyLimit\StoreException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

final class RedisTest extends TestCase
{
    private const NAMES = ['store', 'prefix', 'on_failure'];

    private static ?RedisServer $server = null;

    public static function tearDownAfterClass(): void
    {
        self::$server = null;
    }

    protected function tearDown(): void
    {
        Clock::unfreeze();
        foreach (self::NAMES as $name) {
            Settings::set("ratelimit.$name", null);
        }
        Settings::set('ratelimit_polyfill.client', null);
        Settings::set('ratelimit_polyfill.warnings', null);
    }

    /** @return array<string, array{string}> */
    public static function clients(): array
    {
        return ['phpredis' => ['phpredis'], 'Predis' => ['predis']];
    }

    private function begin(string $client, string $onFailure = 'throw'): RedisServer
    {
        if ($client === 'phpredis' && !\extension_loaded('redis')) {
            self::markTestSkipped('The extension redis (phpredis) is not loaded.');
        }
        self::$server ??= new RedisServer();
        (self::$server)('FLUSHALL');
        Guards::flush();
        Settings::set('ratelimit_polyfill.client', $client);
        Settings::set('ratelimit_polyfill.warnings', '0');
        Settings::set('ratelimit.on_failure', $onFailure);
        Settings::set('ratelimit.store', self::$server->dsn());
        return self::$server;
    }

    #[DataProvider('clients')]
    public function testTheKeysAreThoseOfTheExtension(string $client): void
    {
        $server = $this->begin($client);
        $limiter = new Limiter('api', Limit::fixedWindow(5, 60));
        FrequencyLimit::doHandle('login', 7, 60, 5);
        FrequencyLimit::check('login', 'u:1', 60, 5);
        FrequencyLimit::isActionAllowed(7, 'like', 60, 5);
        $limiter->consume(7);
        $limiter->consume("\0ü\r\n");
        FrequencyLimit::ban('login', 8, 60);
        (new Limiter('new', [Limit::fixedWindow(5, 60), Limit::fixedWindow(5, 60)->shadow()]))->consume(7);
        $keys = $server('KEYS', '*');
        self::assertIsArray($keys);
        sort($keys);

        self::assertSame(["act:limit:api:\0ü\r\n:3l", 'act:limit:api:7:3l', 'act:limit:like:7:4a', 'act:limit:login:7', 'act:limit:login:8', 'act:limit:login:u:1:5s',
            'act:limit:new:7:3l', 'act:limit:new:7:3w'], $keys);
        self::assertSame('1', $server('GET', 'act:limit:login:7'));
        self::assertSame('16777216', $server('GET', 'act:limit:login:8'));
    }

    #[DataProvider('clients')]
    public function testAnIdentityForEachLabelHasAKeyOfItsOwnAndOneDecision(string $client): void
    {
        $server = $this->begin($client);
        $limiter = new Limiter('api', ['t' => Limit::fixedWindow(3, 60)->by('tenant'), 'u' => Limit::fixedWindow(2, 60)->by('user')]);
        $answers = array_map(static fn (int $user): bool => $limiter->allow(['tenant' => 1, 'user' => $user]), [7, 7, 7, 8, 8]);
        self::assertSame([true, true, false, true, false], $answers);
        $keys = $server('KEYS', '*');
        self::assertIsArray($keys);
        sort($keys);
        self::assertSame(["act:limit:tenant\0api:1:10b", "act:limit:user\0api:7:8b", "act:limit:user\0api:8:8b"], $keys);
        $permit = $limiter->acquire(['tenant' => 2, 'user' => 9], ['t' => 3, 'u' => 1]);
        $settled = $permit->settle(['t' => 1, 'u' => 0]);
        self::assertSame(2, $settled === false ? null : $settled->remaining);
        self::assertTrue($limiter->reset(['user' => 7]));
        self::assertFalse($limiter->reset(['user' => 7]));
        $limiter->ban(['tenant' => 2], 60);
        self::assertSame(Reason::Banned, $limiter->peek(['tenant' => 2, 'user' => 9])->reason);
    }

    #[DataProvider('clients')]
    public function testACostForEachLimitAndLargeNumbersAreExact(string $client): void
    {
        $this->begin($client);
        $limiter = new Limiter('tokens', ['requests' => Limit::slidingLog(3, 60), 'tokens' => Limit::fixedWindow(1_000_000_000_000, 60)]);
        self::assertSame(1, $limiter->consume(7, ["requests" => 1, "tokens" => 999_999_999_999])->remaining);
        $refused = $limiter->consume(7, ['requests' => 1, 'tokens' => 2]);
        self::assertSame([Reason::Limited, 'tokens', 1], [$refused->reason, $refused->name, $refused->remaining]);
        self::assertSame(1, $limiter->consume(7, ['requests' => 1, 'tokens' => 0])->remaining);
        $last = $limiter->consumeMany([7], ['requests' => 0, 'tokens' => 1])[0];
        self::assertSame([true, 1, 0], [$last->accepted, $last->granted, $last->remaining]);
    }

    #[DataProvider('clients')]
    public function testScanReturnsTheKeysOfLimitersAndActions(string $client): void
    {
        $server = $this->begin($client);
        $server('SET', 'act:limit:foreign', 'x');
        $server('SET', 'other:7', 'x');
        FrequencyLimit::doHandle('a:b', 7, 60, 5);
        FrequencyLimit::check('a', 'u:1', 60, 5);
        FrequencyLimit::isActionAllowed(7, 'like', 60, 5);
        (new Limiter('api:7l', Limit::fixedWindow(5, 60)))->consume('7');
        for ($found = [], $next = ''; $next !== '' || $found === []; $next = $page['next']) {
            $page = FrequencyLimit\Monitor::scan($next);
            array_push($found, ...$page['keys']);
            if ($page['next'] === '') {
                break;
            }
        }
        sort($found);
        self::assertSame([
            ['kind' => 'action', 'name' => 'a', 'by' => null, 'identity' => 'u:1'],
            ['kind' => 'action', 'name' => 'a:b', 'by' => null, 'identity' => 7],
            ['kind' => 'limiter', 'name' => 'api:7l', 'by' => null, 'identity' => '7'],
        ], $found);
    }

    #[DataProvider('clients')]
    public function testPreflightFindsWhatWouldGoWrong(string $client): void
    {
        $server = $this->begin($client);
        self::assertSame(['settings' => [], 'stores' => []], FrequencyLimit\Monitor::preflight());
        $label = $server->dsn();
        $server('CONFIG', 'SET', 'maxmemory', '100mb');
        $server('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
        self::assertSame(["$label: it evicts bans when it is full (maxmemory-policy allkeys-lru); set volatile-ttl or noeviction"], FrequencyLimit\Monitor::preflight()['settings']);
        $server('CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl');
        self::assertSame([], FrequencyLimit\Monitor::preflight()['settings']);
        $server('CONFIG', 'SET', 'maxmemory', '0');
        $server('ACL', 'SETUSER', 'reader', 'reset', 'on', '>secret', '~*', '+get');
        Settings::set('ratelimit.store', $server->dsn('', 'reader:secret@'));
        self::assertStringContainsString('NOPERM', FrequencyLimit\Monitor::preflight()['stores'][0] ?? '');
        Settings::set('ratelimit.store', 'unix:///nowhere/redis.sock');
        self::assertStringContainsString('cannot connect', FrequencyLimit\Monitor::preflight()['stores'][0] ?? '');
        Settings::set('ratelimit.store', null);
        self::assertStringContainsString('limits hold in this process only', FrequencyLimit\Monitor::preflight()['settings'][0] ?? '');
    }

    #[DataProvider('clients')]
    public function testEveryAnswerHasTheLevelOfBansThatEscalate(string $client): void
    {
        $this->begin($client);
        $limiter = new Limiter('login', Limit::fixedWindow(2, 60)->ban([600, 3600], 86400));
        self::assertSame(0, $limiter->consume(7, 2)->level);
        $banned = $limiter->consume(7);
        self::assertSame([Reason::Banned, 1, 600.0], [$banned->reason, $banned->level, $banned->resetAfter]);
        self::assertTrue($limiter->unban(7));
        $permit = $limiter->acquire(7);
        self::assertSame([true, 1], [$permit->result->accepted, $permit->result->level]);
        $settled = $permit->settle(2);
        self::assertSame(1, $settled === false ? null : $settled->level);
        self::assertSame([2, 0], array_map(static fn ($result): int => $result->level, $limiter->consumeMany([7, 8])));
        self::assertGreaterThan(600.0, $limiter->peek(7)->resetAfter);
        self::assertTrue($limiter->reset(7));
        self::assertSame(0, $limiter->peek(7)->level);
    }

    #[DataProvider('clients')]
    public function testADatabaseAndAPrefixAreApart(string $client): void
    {
        $server = $this->begin($client);
        self::assertTrue(FrequencyLimit::doHandle('a', 1, 60, 1));
        self::assertFalse(FrequencyLimit::doHandle('a', 1, 60, 1));
        Settings::set('ratelimit.prefix', 'other:');
        self::assertTrue(FrequencyLimit::doHandle('a', 1, 60, 1));
        Settings::set('ratelimit.store', $server->dsn('&db=1'));
        self::assertTrue(FrequencyLimit::doHandle('a', 1, 60, 1));
    }

    #[DataProvider('clients')]
    public function testScriptsThatTheServerForgotAreSentAgain(string $client): void
    {
        $server = $this->begin($client);
        $limiter = new Limiter('api', Limit::slidingLog(3, 60));
        foreach ([1, 2, 3] as $_) {
            $server('SCRIPT', 'FLUSH');
            self::assertTrue($limiter->allow(7));
        }
        $server('SCRIPT', 'FLUSH');
        $results = $limiter->consumeMany(['a' => 7, 'b' => 8, 'c' => 8]);
        self::assertSame(['a' => false, 'b' => true, 'c' => true], array_map(static fn ($result): bool => $result->accepted, $results));
        self::assertSame('redis', $results['b']->store);
    }

    #[DataProvider('clients')]
    public function testAForeignValueIsAnExceptionAndStays(string $client): void
    {
        $server = $this->begin($client, 'local');
        $server('SET', 'act:limit:a:7', 'foreign');
        $server('LPUSH', 'act:limit:a:8', 'list');
        foreach ([7 => 'is not a counter', 8 => 'WRONGTYPE'] as $id => $message) {
            try {
                FrequencyLimit::doHandle('a', $id, 60, 5);
                self::fail('no exception');
            } catch (StoreException $e) {
                self::assertStringStartsWith("The key of \"a\", identity \"$id\", has a value that ratelimit did not write: Redis at unix://", $e->getMessage());
                self::assertStringContainsString($message, $e->getMessage());
            }
        }
        self::assertSame('foreign', $server('GET', 'act:limit:a:7'));
        self::assertTrue(FrequencyLimit::doHandle('a', 9, 60, 5), 'the server is not taken for a failed one');
    }

    #[DataProvider('clients')]
    public function testAPermitHoldsItsPlaceUntilItEnds(string $client): void
    {
        $this->begin($client);
        $limiter = new Limiter('jobs', Limit::concurrent(1, 60));
        $permit = $limiter->acquire('x');
        self::assertTrue($permit->result->accepted);
        self::assertFalse($limiter->acquire('x', maxWait: 0.01)->result->accepted);
        self::assertTrue($permit->renew(120));
        unset($permit);
        self::assertTrue($limiter->acquire('x')->release());
        self::assertFalse($limiter->reset('x'));
    }

    #[DataProvider('clients')]
    public function testEachFailurePolicyDecidesWhereRedisIsGone(string $client): void
    {
        $this->begin($client);
        $limiter = new Limiter('gone', Limit::fixedWindow(1, 60));
        Settings::set('ratelimit.store', 'unix:///nowhere/redis.sock?retry_delay=3000000');
        foreach (['allow' => [true, true], 'deny' => [false, false], 'local' => [true, false]] as $policy => [$first, $second]) {
            Settings::set('ratelimit.on_failure', $policy);
            $result = $limiter->consume(7);
            self::assertSame($first, $result->accepted, $policy);
            self::assertSame($policy === 'local' ? Reason::Accepted : Reason::StoreUnavailable, $result->reason);
            self::assertSame($policy === 'local' ? 'local' : 'redis', $result->store);
            self::assertSame($second, $limiter->allow(7), $policy);
            $both = (new Limiter('gone', [Limit::fixedWindow(1, 60)->by('a'), Limit::fixedWindow(9, 60)->by('b')]));
            self::assertSame([$first, $second], [$both->allow(['a' => 1, 'b' => 2]), $both->allow(['a' => 1, 'b' => 3])], $policy);
            self::assertSame($first, FrequencyLimit::doHandle('gone', 7, 60, 1), $policy);
            self::assertSame($second, FrequencyLimit::doHandle('gone', 7, 60, 1), $policy);
            try {
                $limiter->ban(7, 60);
                self::fail('a command has no fallback');
            } catch (StoreException $e) {
                self::assertSame($policy === 'local', str_starts_with($e->getMessage(), 'not done in Redis, only on this machine until Redis is back: '));
            }
        }
        Settings::set('ratelimit.on_failure', 'throw');
        $this->expectException(StoreException::class);
        $this->expectExceptionMessageMatches('~^Redis at unix:///nowhere/redis.sock: cannot connect~');
        $limiter->allow(7);
    }

    #[DataProvider('clients')]
    public function testTheBreakerAsksAFailedServerNoMore(string $client): void
    {
        $server = $this->begin($client, 'deny');
        $limiter = new Limiter('breaker', Limit::fixedWindow(1, 60), $server->dsn('&retry_delay=3000000'));
        $other = new Limiter('breaker', Limit::fixedWindow(1, 60), $server->dsn('&retry_delay=1&lease=auto&deny_cache=0'));
        self::assertTrue($limiter->allow(7));
        $server->stop();
        self::assertFalse($limiter->allow(8), 'one failure');
        self::assertFalse($limiter->allow(8), 'and a second one: the server is silent');
        /* Some failed probes: the next one is due long after the server has started, also on a busy machine. */
        for ($until = hrtime(true) + 1_000_000_000; hrtime(true) < $until; usleep(10_000)) {
            self::assertFalse($limiter->allow(8));
        }
        $server->start();
        self::assertFalse($limiter->allow(8));
        self::assertFalse($other->allow(8), 'stores that differ in how they ask share the breaker');
        Settings::set('ratelimit.prefix', 'another:');
        self::assertTrue($limiter->allow(8), 'a changed setting closes it');
    }

    #[DataProvider('clients')]
    public function testAMistakeInTheConfigurationIsAnException(string $client): void
    {
        $server = $this->begin($client, 'deny');
        Settings::set('ratelimit.store', $server->dsn('', 'nobody:secret@'));
        try {
            FrequencyLimit::doHandle('a', 1, 60, 1);
            self::fail('no exception');
        } catch (StoreException $e) {
            self::assertStringContainsString('WRONGPASS', $e->getMessage());
            self::assertStringNotContainsString('secret', $e->getMessage());
        }
        self::assertSame($server->dsn('', 'nobody:***@'), FrequencyLimit\Monitor::stats()['store']);
    }

    #[DataProvider('clients')]
    public function testTheRightsOfTheExtensionAreEnough(string $client): void
    {
        $server = $this->begin($client);
        /* As docs/redis.md has them. */
        $rights = 'on >secret resetchannels ~act:limit:* +eval +evalsha +get +set +incr +del +time +pttl +pexpiretime';
        $server('ACL', 'SETUSER', 'limiter', 'reset', ...explode(' ', $rights));
        Settings::set('ratelimit.store', $server->dsn('', 'limiter:secret@'));
        self::assertTrue(FrequencyLimit::doHandle('a', 1, 60, 1));
        self::assertFalse(FrequencyLimit::doHandle('a', 1, 60, 1));
        $permit = (new Limiter('rights', [Limit::slidingWindow(5, 60), Limit::concurrent(1, 60)]))->acquire(7);
        self::assertTrue($permit->cancel());
        self::assertTrue(FrequencyLimit::reset('a', 1));
    }

    #[DataProvider('clients')]
    public function testAReplicaDecidesNothing(string $client): void
    {
        $server = $this->begin($client);
        $server('REPLICAOF', '127.0.0.1', '1');
        try {
            $this->expectExceptionMessage('it is a replica, which cannot count');
            FrequencyLimit::doHandle('a', 1, 60, 1);
        } finally {
            $server('REPLICAOF', 'NO', 'ONE');
        }
    }

    public function testAFrozenClockIsRefused(): void
    {
        $this->begin('predis');
        Clock::freeze();
        $this->expectExceptionMessage('The clock is frozen, and Redis has a clock of its own');
        FrequencyLimit::doHandle('a', 1, 60, 1);
    }

    public function testErrorsOfOlderServersAreUnwrapped(): void
    {
        self::assertTrue((new ErrorReply('@user_script: 1: -OOM command not allowed'))->isAboutAWrite());
        self::assertTrue((new ErrorReply('RATELIMIT_NEWER the key holds the state'))->isAboutANewerState());
        self::assertTrue((new ErrorReply('ERR Error running script (call to f_1): @user_script:12: @user_script: 12: -OOM x'))->isForWantOfRoom());
        self::assertTrue((new ErrorReply('MOVED 3999 10.0.0.1:6381'))->is('MOVED'));
        self::assertFalse((new ErrorReply('MOVEDX'))->is('MOVED'));
    }

    public function testSlotsAreThoseOfACluster(): void
    {
        self::assertSame(12739, ClusterTopology::slot('123456789'));
        self::assertSame(ClusterTopology::slot('user'), ClusterTopology::slot('a{user}b{x}'));
        self::assertNotSame(ClusterTopology::slot('user'), ClusterTopology::slot('a{}b{user}'));
    }
}
