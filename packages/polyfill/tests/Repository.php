<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\TestCase;

/** The extension's repository, which has this package in its folder packages, and programs in processes of their own. */
final class Repository
{
    public static function path(): ?string
    {
        $path = getenv('RATELIMIT_SOURCE') ?: \dirname(__DIR__, 3);
        return is_file("$path/ratelimit.stub.php") ? $path : null;
    }

    /** Returns the path, or skips the test: the package alone has neither the stub, nor the scripts, nor the model. */
    public static function required(): string
    {
        return self::path() ?? TestCase::markTestSkipped('This test compares with the repository of the extension, which is not around this package.');
    }

    /** Returns the extension, or skips the test. */
    public static function extension(): string
    {
        $so = getenv('RATELIMIT_SO') ?: getenv('RATELIMIT_MODULE');
        return \is_string($so) && is_file($so) ? $so
            : TestCase::markTestSkipped('This test needs the extension: set RATELIMIT_SO to its module, ratelimit.so.');
    }

    /** Skips the test where no Redis with a simulated clock can run. */
    public static function needsRedis(): void
    {
        exec('command -v redis-server || command -v valkey-server', $lines, $exit);
        if ($exit !== 0) {
            TestCase::markTestSkipped('redis-server is not installed.');
        }
        exec('command -v cc', $lines, $exit);
        if ($exit !== 0 || PHP_OS_FAMILY !== 'Linux') {
            TestCase::markTestSkipped('The simulated clock of Redis needs Linux and a C compiler.');
        }
    }

    /**
     * Returns the options of a PHP that has this package and not the extension, and can reach Redis.
     *
     * @param array<string, string> $ini
     * @return list<string>
     */
    public static function polyfill(array $ini = []): array
    {
        $options = ['-n', '-d', 'auto_prepend_file=' . \dirname(__DIR__) . '/vendor/autoload.php', '-d', 'error_log=' . self::nowhere()];
        foreach (\extension_loaded('redis') ? ['igbinary', 'redis'] : [] as $extension) {
            /* A build of phpredis may need igbinary, which then is a module of its own. */
            if ($extension === 'redis' || (\extension_loaded($extension) && self::isModule($extension))) {
                array_push($options, '-d', "extension=$extension");
            }
        }
        return [...$options, ...self::options($ini)];
    }

    /** Returns the path of a log without a reader. */
    public static function nowhere(): string
    {
        return PHP_OS_FAMILY === 'Windows' ? 'NUL' : '/dev/null';
    }

    private static function isModule(string $extension): bool
    {
        return is_file(\ini_get('extension_dir') . "/$extension." . PHP_SHLIB_SUFFIX);
    }

    /**
     * @param array<string, string> $ini
     * @return list<string>
     */
    public static function options(array $ini): array
    {
        $options = [];
        foreach ($ini as $name => $value) {
            array_push($options, '-d', $name . '="' . addcslashes($value, '"\\') . '"');
        }
        return $options;
    }

    /**
     * Runs a PHP to its end. Returns its exit code, and its output with its errors.
     *
     * @param list<string>          $arguments
     * @param array<string, string> $environment added to this process' own
     * @return array{int, string}
     */
    public static function run(array $arguments, array $environment = []): array
    {
        $process = proc_open([PHP_BINARY, ...$arguments], [['pipe', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, null, $environment + getenv());
        if ($process === false) {
            throw new \RuntimeException('PHP does not start');
        }
        fclose($pipes[0]);
        $output = (string) stream_get_contents($pipes[1]);
        return [proc_close($process), $output];
    }
}
