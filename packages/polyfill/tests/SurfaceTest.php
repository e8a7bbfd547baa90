<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\TestCase;

final class SurfaceTest extends TestCase
{
    /** Methods by which a library refuses what an extension refuses without one. */
    private const REFUSING = '/::__((un)?serialize|set)\(/';

    public function testEveryClassMethodParameterAndPropertyIsThatOfTheExtension(): void
    {
        $stub = $this->lines(Repository::required() . '/ratelimit.stub.php');
        $own = $this->lines(\dirname(__DIR__) . '/vendor/autoload.php');

        self::assertGreaterThan(100, \count($stub));
        $gaps = require __DIR__ . '/gaps.php';
        self::assertSame($gaps, array_values(array_diff($stub, $own)), 'missing in the polyfill');
        /* A method of a gap may be there with fewer types. */
        $alone = array_filter(array_diff($own, $stub), fn (string $line) => !\in_array($this->method($line), array_map($this->method(...), $gaps), true));
        self::assertSame([], array_values(preg_grep(self::REFUSING, $alone, PREG_GREP_INVERT) ?: []), 'in the polyfill alone');
    }

    /** PHPStan reads the package at its highest level, with the exceptions of phpstan.neon.dist. */
    public function testPhpStanFindsNothing(): void
    {
        $package = \dirname(__DIR__);
        [$exit, $output] = Repository::run(["$package/vendor/bin/phpstan", 'analyse', '-c', "$package/phpstan.neon.dist", '--no-progress', '--memory-limit=1G', '--error-format=raw']);
        self::assertSame(0, $exit, $output);
    }

    private function method(string $line): string
    {
        return preg_replace('/\(.*/', '', $line) ?? $line;
    }

    /** @return list<string> */
    private function lines(string $file): array
    {
        [$exit, $output] = Repository::run(['-n', __DIR__ . '/tools/surface.php', $file]);
        self::assertSame(0, $exit, $output);
        return explode("\n", trim($output));
    }
}
