<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\TestCase;

final class SurfaceTest extends TestCase
{
    /** Methods by which a library refuses what an extension refuses without one. */
    private const REFUSING = '/::__(un)?serialize\(/';

    public function testEveryClassMethodParameterAndPropertyIsThatOfTheExtension(): void
    {
        $stub = $this->lines(Repository::required() . '/ratelimit.stub.php');
        $own = $this->lines(\dirname(__DIR__) . '/vendor/autoload.php');

        self::assertGreaterThan(100, \count($stub));
        self::assertSame(require __DIR__ . '/gaps.php', array_values(array_diff($stub, $own)), 'missing in the polyfill');
        self::assertSame([], array_values(preg_grep(self::REFUSING, array_diff($own, $stub), PREG_GREP_INVERT) ?: []), 'in the polyfill alone');
    }

    /** @return list<string> */
    private function lines(string $file): array
    {
        [$exit, $output] = Repository::run(['-n', __DIR__ . '/tools/surface.php', $file]);
        self::assertSame(0, $exit, $output);
        return explode("\n", trim($output));
    }
}
