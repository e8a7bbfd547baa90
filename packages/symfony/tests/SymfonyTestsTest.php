<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

/**
 * Runs the tests of Symfony's rate limiter, unmodified, with limiters of the extension in the place of Symfony's classes.
 * Symfony's packages do not contain its tests: RATELIMIT_SYMFONY_TESTS names the folder src/Symfony/Component/RateLimiter/Tests
 * of a checkout of Symfony.
 */
final class SymfonyTestsTest extends TestCase
{
    /** The tests that fail, and why. README.md has the reasons at length. */
    private const DEVIATIONS = [
        'LimiterTest::testWrongInterval' => 'Symfony changed the address in the message after 7.2.',
        'SlidingWindowTest::testCreateAtExactTime' => 'A class of Symfony alone, which changed after 7.2.',
        'SlidingWindowLimiterTest::testConsume' => 'The extension counts no call that is older than the interval; Symfony estimates.',
        'SlidingWindowLimiterTest::testWaitIntervalOnConsumeOverLimit' => 'The exact wait is 12 s.',
        'SlidingWindowLimiterTest::testReserve' => 'The exact wait is 12 s.',
        'TokenBucketLimiterTest::testReserve' => 'The bucket fills continuously: half a second, not a whole interval.',
        'TokenBucketLimiterTest::testBucketRefilledWithStrictFrequency' => 'The bucket fills continuously.',
    ];

    public function testSymfonysTestsPassButForTheNamedDeviations(): void
    {
        $folder = getenv('RATELIMIT_SYMFONY_TESTS');
        if (!\is_string($folder) || !is_dir($folder)) {
            self::markTestSkipped('Set RATELIMIT_SYMFONY_TESTS to the folder src/Symfony/Component/RateLimiter/Tests of a checkout of Symfony.');
        }
        $log = tempnam(sys_get_temp_dir(), 'ratelimit-symfony-');
        $command = [\PHP_BINARY, ...self::extension(), $GLOBALS['_SERVER']['argv'][0], '--no-configuration', '--bootstrap', __DIR__.'/symfony-tests.php', '--log-junit', $log, $folder];
        try {
            $process = proc_open($command, [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes);
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
        self::assertSame([], array_values(array_diff($failed, array_keys(self::DEVIATIONS))), $output);
        self::assertGreaterThanOrEqual(40, \count($tests) - \count($failed), $output);
    }

    /** Returns the options that load the extension, if no php.ini does. */
    private static function extension(): array
    {
        $options = [];
        foreach (['extension', 'extension_dir', 'zend_extension'] as $name) {
            foreach (self::argumentsOf($name) as $value) {
                array_push($options, '-d', "$name=$value");
            }
        }

        return $options;
    }

    /** @return list<string> */
    private static function argumentsOf(string $name): array
    {
        $arguments = is_readable('/proc/self/cmdline') ? explode("\0", (string) file_get_contents('/proc/self/cmdline')) : [];
        $values = [];
        foreach ($arguments as $argument) {
            if (preg_match("/^(?:-d)?$name=(.+)$/", $argument, $match)) {
                $values[] = $match[1];
            }
        }

        return $values;
    }
}
