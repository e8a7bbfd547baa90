<?php
declare(strict_types=1);

namespace FrequencyLimit\PHPUnit\Tests;

use PHPUnit\Framework\TestCase;

/** Runs PHPUnit with other configurations. */
final class ConfigurationTest extends TestCase
{
    /** @return array{int, string} */
    private function phpunit(string ...$options): array
    {
        $command = [\PHP_BINARY, ...$options, __DIR__ . '/../vendor/bin/phpunit', '-c', __DIR__ . '/fixture/phpunit.xml'];
        \exec(\implode(' ', \array_map('escapeshellarg', $command)) . ' 2>&1', $output, $code);
        return [$code, \implode("\n", $output)];
    }

    public function testEachTestBeginsAtTheParameter(): void
    {
        [$code, $output] = $this->phpunit();
        self::assertSame(0, $code, $output);
        self::assertStringContainsString('OK (2 tests', $output);
    }

    public function testAStoreInPhpIniIsNotUsed(): void
    {
        if (!\extension_loaded('ratelimit')) {
            self::markTestSkipped('the polyfill has no settings');
        }
        [$code, $output] = $this->phpunit('-d', 'ratelimit.store=redis://127.0.0.1:1', '-d', 'ratelimit.on_failure=throw');
        self::assertSame(0, $code, $output);
    }

    public function testTheClassMayHaveItsSecondNameAlone(): void
    {
        if (!\extension_loaded('ratelimit')) {
            self::markTestSkipped('the polyfill has both names');
        }
        [$code, $output] = $this->phpunit('-d', 'ratelimit.global_class=0');
        self::assertSame(0, $code, $output);
    }

    public function testASegmentThatOthersShareIsRefused(): void
    {
        if (!\extension_loaded('ratelimit')) {
            self::markTestSkipped('the polyfill has no segment');
        }
        $file = \sys_get_temp_dir() . '/ratelimit-phpunit-' . \getmypid();
        [$code, $output] = $this->phpunit('-d', "ratelimit.shm_path=$file");
        @\unlink($file);
        self::assertNotSame(0, $code, $output);
        self::assertStringContainsString('-d ratelimit.shm_path=', $output);
    }
}
