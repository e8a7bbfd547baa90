<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use PHPUnit\Framework\Attributes\DataProvider;

/**
 * Runs the tests of Symfony's rate limiter, unmodified, with limiters of the extension in the place of Symfony's classes.
 * Symfony's packages do not contain its tests: RATELIMIT_SYMFONY_TESTS names the folder src/Symfony/Component/RateLimiter/Tests
 * of a checkout of Symfony.
 */
final class SymfonyTestsTest extends TestCase
{
    /** The tests that fail, and why. README.md has the differences. */
    private const DEVIATIONS = [
        'LimiterTest::testWrongInterval' => 'Symfony changed the address in the message after 7.2.',
        'SlidingWindowTest::testCreateAtExactTime' => 'A class of Symfony alone, which changed after 7.2.',
        'SlidingWindowLimiterTest::testConsume' => 'The extension counts no call that is older than the interval; Symfony estimates.',
        'SlidingWindowLimiterTest::testWaitIntervalOnConsumeOverLimit' => 'The exact wait is 12 s.',
        'SlidingWindowLimiterTest::testReserve' => 'The exact wait is 12 s.',
        'TokenBucketLimiterTest::testReserve' => 'The bucket fills continuously: half a second, not a whole interval.',
        'TokenBucketLimiterTest::testBucketRefilledWithStrictFrequency' => 'The bucket fills continuously.',
    ];

    /** The tests that fail besides when the clock stands at a fraction of a second. Symfony 7.4 itself fails them. */
    private const DEVIATIONS_AT_A_FRACTION = [
        'FixedWindowLimiterTest::testConsume' => 'The retry is rounded up to a second, as by Symfony 7.4; 7.2 rounded it down.',
        'FixedWindowLimiterTest::testPeekConsume' => 'The same.',
        'SlidingWindowLimiterTest::testPeekConsume' => 'The same.',
        'TokenBucketLimiterTest::testPeekConsume' => 'The same.',
    ];

    /** @return iterable<string, array{string, array<string, string>}> */
    public static function clocks(): iterable
    {
        yield 'a whole second' => ['1800000000', self::DEVIATIONS];
        yield 'a fraction of a second' => ['1800000000.4', self::DEVIATIONS + self::DEVIATIONS_AT_A_FRACTION];
    }

    /** @param array<string, string> $deviations */
    #[DataProvider('clocks')]
    public function testSymfonysTestsPassButForTheNamedDeviations(string $clock, array $deviations): void
    {
        $folder = getenv('RATELIMIT_SYMFONY_TESTS');
        if (!\is_string($folder) || !is_dir($folder)) {
            self::markTestSkipped('Set RATELIMIT_SYMFONY_TESTS to the folder src/Symfony/Component/RateLimiter/Tests of a checkout of Symfony.');
        }
        $log = tempnam(sys_get_temp_dir(), 'ratelimit-symfony-');
        $command = [\PHP_BINARY, ...Processes::extension(), $_SERVER['argv'][0], '--no-configuration', '--bootstrap', __DIR__.'/symfony-tests.php', '--log-junit', $log, $folder];
        try {
            $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, null, ['RATELIMIT_SYMFONY_CLOCK' => $clock] + getenv());
            $output = stream_get_contents($pipes[1]);
            proc_close($process);
            $report = @simplexml_load_string((string) file_get_contents($log));
        } finally {
            unlink($log);
        }
        self::assertNotFalse($report, $output);
        $tests = $report->xpath('//testcase');
        $failed = array_map(
            static fn (\SimpleXMLElement $test): string => preg_replace('/^.*\\\\/', '', (string) $test['class']).'::'.$test['name'],
            array_filter($tests, static fn (\SimpleXMLElement $test): bool => isset($test->failure) || isset($test->error)),
        );
        self::assertSame([], array_values(array_diff($failed, array_keys($deviations))), $output);
        self::assertGreaterThanOrEqual(40, \count($tests) - \count($failed), $output);
    }
}
