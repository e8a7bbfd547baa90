<?php
declare(strict_types=1);

namespace FrequencyLimit\IdeStub\Tests;

use PHPUnit\Framework\TestCase;

final class StubTest extends TestCase
{
    public function testTheAttributesHaveTheTargetsOfTheExtension(): void
    {
        $stub = \file_get_contents(__DIR__ . '/../ratelimit.php');
        foreach (['AccessLimit' => '| IS_REPEATABLE', 'ConcurrencyLimit' => '', 'RateLimit' => '| TARGET_CLASS | IS_REPEATABLE'] as $class => $more) {
            self::assertMatchesRegularExpression('/#\[\\\\Attribute\(\\\\Attribute::TARGET_FUNCTION \| \\\\Attribute::TARGET_METHOD'
                . \preg_replace('/\| (\w+) ?/', ' \| \\\\\\\\Attribute::$1', $more) . "\)\\]\n    final class $class\n/", $stub);
        }
    }

    public function testComposerNeverLoadsTheStub(): void
    {
        self::assertArrayNotHasKey('autoload', \json_decode(\file_get_contents(__DIR__ . '/../composer.json'), true));
    }
}
