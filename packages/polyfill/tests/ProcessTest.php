<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\TestCase;

/** Settings, warnings and the extension depend on how a process was started: each test starts its own. */
final class ProcessTest extends TestCase
{
    private const AUTOLOAD = 'require ' . "'" . __DIR__ . "/../vendor/autoload.php'; ";
    private const CALL = 'FrequencyLimit::doHandle("a", 1, 60, 1);';

    /**
     * @param array<string, string> $ini
     * @param array<string, string> $environment
     */
    private function runs(string $code, array $ini = [], array $environment = []): string
    {
        [, $output] = Repository::run([...Repository::polyfill($ini + ['display_errors' => '1']), '-r', self::AUTOLOAD . $code], $environment);
        return trim($output);
    }

    public function testMemoryWarnsOnceThatItIsOneProcessAlone(): void
    {
        $output = $this->runs(self::CALL . self::CALL);
        self::assertSame(1, substr_count($output, 'limits are kept in the memory of this process'), $output);
        self::assertSame('', $this->runs(self::CALL, ['ratelimit.testing' => '1']));
        self::assertSame('', $this->runs(self::CALL, ['ratelimit_polyfill.warnings' => '0']));
        self::assertSame('', $this->runs(self::CALL, [], ['RATELIMIT_POLYFILL_WARNINGS' => '0']));
    }

    public function testAttributesWarnOnceThatTheyAreNotEnforcedWhereThePackageIsAsked(): void
    {
        $function = '#[FrequencyLimit\AccessLimit(60, 1), FrequencyLimit\ConcurrencyLimit(1, 60)] function f() { return 7; } f(); f(); ';
        self::assertSame('', $this->runs($function), 'PHP tells no library of an attribute');
        $identify = 'FrequencyLimit\Request::identifyBy(fn () => 7); ';
        foreach ([$identify, ...array_map(static fn (int $i): string => "(new ReflectionFunction('f'))->getAttributes()[$i]->newInstance(); ", [0, 1])] as $asked) {
            $output = $this->runs("$function$asked$asked$identify var_dump(FrequencyLimit\Request::lastResult());");
            self::assertSame(1, substr_count($output, '#[AccessLimit], #[ConcurrencyLimit] and #[RateLimit] are not enforced'), $output);
            self::assertStringEndsWith('NULL', $output);
        }
    }

    public function testSettingsAreReadFromPhpIniAndTheEnvironment(): void
    {
        $code = 'echo FrequencyLimit\Monitor::stats()["store"];';
        self::assertSame('shm:', $this->runs($code));
        self::assertSame('redis://h:1', $this->runs($code, ['ratelimit.store' => 'redis://h:1']));
        self::assertSame('redis://u:***@h:2', $this->runs($code, ['ratelimit.store' => 'redis://h:1'], ['RATELIMIT_STORE' => 'redis://u:p@h:2']));
    }

    public function testAWrongSettingIsAWarningAndHasTheDefault(): void
    {
        $output = $this->runs('echo json_encode(FrequencyLimit\Monitor::stats()["warnings"], JSON_UNESCAPED_SLASHES);', [
            'ratelimit.store' => 'http://h', 'ratelimit.on_failure' => 'closed', 'ratelimit.testing' => 'perhaps',
        ]);
        self::assertStringContainsString('ratelimit.store must be "shm:" or the DSN of a Redis server: it must begin with redis://', $output);
        self::assertStringContainsString('; "shm:" is used instead, so limits hold in this process only', $output);
        self::assertStringContainsString('ratelimit.on_failure must be "local", "local:1/N" with an N from 2 to 10000, "allow", "deny" or "throw"; "local" is used instead', $output);
        self::assertStringContainsString('ratelimit.testing must be on or off, "perhaps" given; "0" is used instead', $output);
    }

    public function testProxiesOfEveryAddressAreAWarning(): void
    {
        $code = 'FrequencyLimit\Polyfill\Settings::set("ratelimit.prefix", "p"); echo json_encode(FrequencyLimit\Monitor::stats()["warnings"]);';
        foreach (['0.0.0.0/0' => 2, '10.0.0.0/8 ::/0' => 2, '0.0.0.0/1' => 0] as $proxies => $n) {
            self::assertSame($n, substr_count($this->runs($code, ['ratelimit.trusted_proxies' => $proxies]), 'ratelimit.trusted_proxies trusts every address, so any client'));
        }
    }

    public function testTheClientOutsideOfEveryRequestIsAWarning(): void
    {
        $output = $this->runs('$a = FrequencyLimit\Request::clientAddress(...); echo $a(); FrequencyLimit\Request::begin("192.0.2.1"); echo $a(); FrequencyLimit\Request::end(); echo $a(), $a();');
        self::assertSame(1, substr_count($output, 'FrequencyLimit\Request::clientAddress(): this process serves requests, and this call belongs to none of them'), $output);
        self::assertStringStartsWith('local192.0.2.1', $output);
        self::assertStringEndsWith('nobodynobody', $output);
    }

    public function testAShareOfTheFleetIsAWarningAndHasAllOfTheProcess(): void
    {
        $code = '$l = new FrequencyLimit\Limiter("share", FrequencyLimit\Limit::fixedWindow(3, 60));
            for ($n = 0; ($r = $l->consume("x"))->accepted && $n < 9; $n++);
            echo $r->store, $n;';
        $output = $this->runs($code, ['ratelimit.store' => 'unix:///nowhere/redis.sock', 'ratelimit.on_failure' => 'local:1/3']);
        self::assertStringContainsString('on_failure=local:1/3: the polyfill takes no share, each process admits what its own memory permits', $output);
        self::assertStringEndsWith('local3', $output);
    }

    public function testAChangedFileOfLimitersIsTakenUpAndAMistakeChangesNothing(): void
    {
        $path = sys_get_temp_dir() . '/polyfill-' . bin2hex(random_bytes(6)) . '.ini';
        $put = 'function put($n) { file_put_contents("' . addslashes($path) . '", "[api]\na = fixed:$n/60s\n"); usleep(350000);
            echo FrequencyLimit\Limiter::named("api")->limits[0]->limit, " "; } ';
        try {
            $output = $this->runs($put . 'put(5); put(6); put("x"); put(7); put(0); echo FrequencyLimit\Monitor::stats()["warnings"][0];', ['ratelimit.limiters' => $path]);
            self::assertSame("5 6 6 7 7 ratelimit.limiters: $path: line 2: \"fixed:0/60s\" is not a limit: limit must be between 1 and 1000000000000, 0 given", $output);
        } finally {
            unlink($path);
        }
    }

    public function testTheClockNeedsTesting(): void
    {
        self::assertStringContainsString('because ratelimit.testing is off', $this->runs('FrequencyLimit\Clock::freeze();'));
        self::assertSame('', $this->runs('FrequencyLimit\Clock::freeze(); FrequencyLimit\Clock::advance(5);', [], ['RATELIMIT_TESTING' => '1']));
    }

    public function testNoTraceHasThePasswordOfAStore(): void
    {
        $limit = 'FrequencyLimit\Limit::fixedWindow(1, 60)';
        $dsn = 'redis://u:geheim@127.0.0.1:1';
        foreach (["new FrequencyLimit\Limiter('', $limit, '$dsn');", "new FrequencyLimit\Limiter('l', [], '$dsn');", "new FrequencyLimit\Limiter('l', $limit, '$dsn?x=1');",
            "(new FrequencyLimit\Limiter('l', $limit, '$dsn'))->consume(7);"] as $code) {
            $output = $this->runs($code, ['zend.exception_string_param_max_len' => '1000', 'zend.exception_ignore_args' => '0', 'ratelimit.on_failure' => 'throw']);
            self::assertStringContainsString('Stack trace', $output);
            self::assertStringNotContainsString('geheim', $output);
        }
    }

    public function testAMissingClientLibraryIsNamed(): void
    {
        $ini = ['ratelimit.on_failure' => 'deny', 'ratelimit_polyfill.client' => 'phpredis', 'ratelimit.store' => 'redis://127.0.0.1:1'];
        [, $output] = Repository::run(['-n', ...Repository::options($ini), '-r', self::AUTOLOAD
            . 'try { FrequencyLimit::doHandle("a", 1, 60, 1); } catch (FrequencyLimit\StoreException $e) { echo $e->getMessage(); }']);
        self::assertStringContainsString('no client library: install the extension redis (phpredis), or run "composer require predis/predis"', $output);
    }

    public function testAFatalErrorEndsThePermitsOfRedis(): void
    {
        $server = new RedisServer();
        $output = $this->runs(
            '$permit = (new FrequencyLimit\Limiter("jobs", FrequencyLimit\Limit::concurrent(1, 600)))->acquire("x"); echo $permit->result->store; ini_set("memory_limit", "16M"); str_repeat("x", 1 << 30);',
            ['ratelimit.store' => $server->dsn()],
        );
        self::assertStringStartsWith('redis', $output);
        self::assertStringContainsString('Allowed memory size', $output);
        self::assertSame([], $server('KEYS', '*'));
    }

    public function testTheLoadedExtensionWins(): void
    {
        $code = 'require ' . var_export(\dirname(__DIR__) . '/vendor/autoload.php', true) . ';
            foreach (["FrequencyLimit", "FrequencyLimit\Limiter", "FrequencyLimit\Limit", "FrequencyLimit\Result", "FrequencyLimit\AccessLimit"] as $class) {
                echo (new ReflectionClass($class))->isInternal() ? "extension " : "polyfill ";
            }
            echo FrequencyLimit::doHandle("a", 1, 60, 1) ? 1 : 0, class_exists("FrequencyLimit\Polyfill\Settings", false) ? "loaded" : "";';
        [$exit, $output] = Repository::run(['-n', '-d', 'extension=' . Repository::extension(), '-d', 'ratelimit.shm_path=private', '-r', $code]);
        self::assertSame([0, 'extension extension extension extension extension 1'], [$exit, $output]);
    }

    public function testNoComposerFileClaimsToBeTheExtension(): void
    {
        $composer = json_decode((string) file_get_contents(\dirname(__DIR__) . '/composer.json'), true, 16, JSON_THROW_ON_ERROR);
        self::assertIsArray($composer);
        self::assertArrayNotHasKey('provide', $composer);
        self::assertArrayNotHasKey('replace', $composer);
    }
}
