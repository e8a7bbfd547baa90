<?php

namespace FrequencyLimit\Laravel\Tests;

use PHPUnit\Framework\TestCase as PHPUnitTestCase;
use Symfony\Component\Process\Process;

/**
 * Laravel's own tests of the replaced classes, unmodified: what passes on Laravel's own code passes with this package's
 * provider, except for the tests of EXCEPTIONS, which look into the cache.
 *
 * Packages of Laravel come without tests. LARAVEL_TESTS is the folder "tests" of a checkout of laravel/framework, of the
 * version in vendor. The tests on Redis run where redis-server and phpredis are.
 */
final class LaravelsOwnTest extends PHPUnitTestCase
{
    private const FILES = [
        'Cache/CacheRateLimiterTest.php',
        'Cache/ConcurrencyLimiterTest.php',
        'Cache/RateLimiterTest.php',
        'Foundation/FoundationExceptionsHandlerTest.php',
        'Integration/Cache/ArrayCacheFunnelTest.php',
        'Integration/Cache/DatabaseCacheFunnelTest.php',
        'Integration/Cache/FileCacheFunnelTest.php',
        'Integration/Cache/RedisCacheFunnelTest.php',
        'Integration/Cache/RepositoryTest.php',
        'Integration/Http/ThrottleRequestsTest.php',
        'Integration/Http/ThrottleRequestsWithRedisTest.php',
        'Integration/Mail/SendingQueuedMailTest.php',
        'Integration/Queue/RateLimitedTest.php',
        'Integration/Queue/RateLimitedWithRedisTest.php',
        'Integration/Queue/ThrottlesExceptionsTest.php',
        'Integration/Queue/ThrottlesExceptionsWithRedisTest.php',
    ];

    /** Test => what it looks for. */
    private const EXCEPTIONS = [
        'ThrottleRequestsTest::testItDoesNotHitLimiterUntilResponseHasBeenGenerated' => 'the cache key "throttle-not-found" and its ":timer"',
        'ArrayCacheFunnelTest::testFunnelTimeoutExceptionWithoutFailureCallback' => self::LOCKS,
        'ArrayCacheFunnelTest::testFunnelFailureCallbackReceivesException' => self::LOCKS,
        'DatabaseCacheFunnelTest::testFunnelTimeoutExceptionWithoutFailureCallback' => self::LOCKS,
        'DatabaseCacheFunnelTest::testFunnelFailureCallbackReceivesException' => self::LOCKS,
        'FileCacheFunnelTest::testFunnelTimeoutExceptionWithoutFailureCallback' => self::LOCKS,
        'FileCacheFunnelTest::testFunnelFailureCallbackReceivesException' => self::LOCKS,
        'RedisCacheFunnelTest::testFunnelTimeoutExceptionWithoutFailureCallback' => self::LOCKS,
        'RedisCacheFunnelTest::testFunnelFailureCallbackReceivesException' => self::LOCKS,
    ];

    private const LOCKS = 'the cache locks "test1" and "test2", which it takes by those names';

    public function testWhatPassesOnLaravelsOwnCodePassesWithTheProvider(): void
    {
        $tests = getenv('LARAVEL_TESTS') ?: '';
        if (! is_file("$tests/Integration/Http/ThrottleRequestsTest.php")) {
            self::markTestSkipped('LARAVEL_TESTS is not the folder "tests" of a checkout of laravel/framework');
        }
        if (! extension_loaded('ratelimit')) {
            self::markTestSkipped('the extension ratelimit is not loaded');
        }

        $redis = RedisServer::start();
        $laravels = $this->outcomes($tests, false, $redis);
        $ours = $this->outcomes($tests, true, $redis);

        $passed = array_keys($laravels, 'passed', true);
        self::assertGreaterThan(50, count($passed), 'Laravel\'s own code passes its tests: '.print_r($laravels, true));

        $broken = array_values(array_filter($passed, fn ($test) => ($ours[$test] ?? null) !== 'passed'));
        sort($broken);
        $named = array_values(array_intersect(array_keys(self::EXCEPTIONS), $passed));
        sort($named);
        fprintf(STDERR, "\nLaravel's own tests: %d, passed by its own code %d, with this package %d\n", count($laravels), count($passed), count($passed) - count($broken));

        self::assertSame($named, $broken, 'the tests that fail with this package are the named ones');
    }

    /** @return array<string, string> test => passed, failed or skipped */
    private function outcomes(string $tests, bool $provider, ?RedisServer $redis): array
    {
        $package = dirname(__DIR__);
        $folder = sys_get_temp_dir().'/ratelimit-laravel-own-'.getmypid();
        @mkdir($folder);
        $files = implode('', array_map(
            fn ($file) => is_file("$tests/$file") ? "<file>$tests/$file</file>" : '', self::FILES
        ));
        file_put_contents("$folder/phpunit.xml", "<?xml version=\"1.0\"?>
            <phpunit bootstrap=\"$package/tests/laravel/bootstrap.php\" cacheResult=\"false\">
                <testsuites><testsuite name=\"laravel\">$files</testsuite></testsuites>
            </phpunit>");

        $process = new Process(
            [...Php::command(), "$package/vendor/bin/phpunit", '-c', "$folder/phpunit.xml", '--log-junit', "$folder/junit.xml", '--no-output'],
            $folder,
            ['LARAVEL_TESTS' => $tests, 'RATELIMIT_PROVIDER' => $provider ? '1' : '']
                + ($redis ? ['REDIS_HOST' => '127.0.0.1', 'REDIS_PORT' => (string) $redis->port, 'REDIS_CLIENT' => 'phpredis'] : []),
            null, 120
        );
        $process->run();

        $outcomes = [];
        $junit = is_file("$folder/junit.xml") ? simplexml_load_file("$folder/junit.xml") : false;
        self::assertNotFalse($junit, $process->getOutput().$process->getErrorOutput());
        foreach ($junit->xpath('//testcase') as $case) {
            $test = substr(strrchr('\\'.$case['class'], '\\'), 1).'::'.$case['name'];
            $outcomes[$test] = match (true) {
                isset($case->failure), isset($case->error) => 'failed',
                isset($case->skipped) => 'skipped',
                default => 'passed',
            };
        }
        array_map(unlink(...), glob("$folder/*"));
        rmdir($folder);

        return $outcomes;
    }
}
