<?php
declare(strict_types=1);

namespace FrequencyLimit\IdeStub\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Runs PHPStan and Psalm, at their highest levels, with the extension (where the tests run with it) and without. */
final class StaticAnalysisTest extends TestCase
{
    /** The lines of code/wrong.php that must be reported. */
    private const WRONG = ['[\'typ\'', 'new Limiter(\'x\', [])', '[\'no limit\']', 'fixedWindow(0', 'consume(\'u\', 0)', 'consumeMany([1.5])',
        '[\'tenant\' => 1.5]', '[\'tokens\' => -1]',
        '// always true', '// not imported', '// thrown away'];

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = \sys_get_temp_dir() . '/ratelimit-stub-' . \bin2hex(\random_bytes(6));
        \mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        \exec('rm -rf ' . \escapeshellarg($this->folder));
    }

    public static function extensions(): iterable
    {
        yield 'without the extension' => [false];
        if (\extension_loaded('ratelimit')) {
            yield 'with the extension' => [true];
        }
    }

    #[DataProvider('extensions')]
    public function testPhpstan(bool $extension): void
    {
        $package = \dirname(__DIR__);
        $configuration = "$this->folder/phpstan.neon";
        \file_put_contents($configuration, "includes:\n    - $package/extension.neon\nparameters:\n    level: max\n    tmpDir: $this->folder\n"
            . "    paths:\n        - $package/tests/code\n");
        [$report, $output] = $this->json($extension, ["$package/vendor/bin/phpstan", 'analyse', '-c', $configuration, '--error-format=json', '--no-progress',
            '--memory-limit=1G']);
        self::assertIsArray($report, $output);
        self::assertSame([], $report['errors'], 'errors without a line');
        $found = [];
        foreach ($report['files'] as $file => $errors) {
            foreach ($errors['messages'] as $error) {
                $found[\basename($file)][] = [$error['line'], $error['message']];
            }
        }
        $this->assertFound($found, self::WRONG);
    }

    #[DataProvider('extensions')]
    public function testPsalm(bool $extension): void
    {
        $package = \dirname(__DIR__);
        $configuration = "$this->folder/psalm.xml";
        \file_put_contents($configuration, <<<XML
            <?xml version="1.0"?>
            <psalm xmlns="https://getpsalm.org/schema/config" errorLevel="1" findUnusedCode="false" cacheDirectory="$this->folder/cache">
                <projectFiles><directory name="$package/tests/code"/></projectFiles>
                <stubs><file name="$package/ratelimit.php" preloadClasses="true"/></stubs>
                <plugins><plugin filename="$package/psalm.php"/></plugins>
            </psalm>
            XML);
        [$report, $output] = $this->json($extension, ["$package/vendor/bin/psalm", "--config=$configuration", '--output-format=json', '--no-progress', '--threads=1',
            '--no-cache', "--root=$package"]);
        self::assertIsArray($report, $output);
        $found = [];
        foreach ($report as $error) {
            if ($error['severity'] === 'error') {
                $found[\basename($error['file_name'])][] = [$error['line_from'], $error['message']];
            }
        }
        $this->assertFound($found, self::WRONG);
    }

    /**
     * @param array<string, list<array{int, string}>> $found
     * @param list<string> $wrong
     */
    private function assertFound(array $found, array $wrong): void
    {
        self::assertSame([], $found['right.php'] ?? [], 'right uses');
        $reported = \array_unique(\array_column($found['wrong.php'] ?? [], 0));
        $missed = [];
        foreach (\file(__DIR__ . '/code/wrong.php') as $i => $line) {
            foreach ($wrong as $use) {
                if (\str_contains($line, $use) && !\in_array($i + 1, $reported, true)) {
                    $missed[] = \trim($line);
                }
            }
        }
        self::assertSame([], $missed, 'wrong uses that were not found');
    }

    /**
     * @param list<string> $command
     * @return array{mixed, string}
     */
    private function json(bool $extension, array $command): array
    {
        /* PHP_INI_SCAN_DIR names the folder of settings that loads the extension. */
        $prefix = $extension ? [] : ['env', '-u', 'PHP_INI_SCAN_DIR'];
        \exec(\implode(' ', \array_map('escapeshellarg', [...$prefix, \PHP_BINARY, ...$command])) . " 2>$this->folder/errors", $output);
        $text = \implode("\n", $output);
        return [\json_decode($text, true), $text . "\n" . \file_get_contents("$this->folder/errors")];
    }
}
