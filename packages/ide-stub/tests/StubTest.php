<?php
declare(strict_types=1);

namespace FrequencyLimit\IdeStub\Tests;

use PHPUnit\Framework\TestCase;

final class StubTest extends TestCase
{
    public function testTheAttributesHaveTheTargetsOfTheExtension(): void
    {
        $stub = \file_get_contents(__DIR__ . '/../ratelimit.php');
        foreach (['AccessLimit' => true, 'ConcurrencyLimit' => false] as $class => $repeatable) {
            self::assertMatchesRegularExpression('/#\[\\\\Attribute\(\\\\Attribute::TARGET_FUNCTION \| \\\\Attribute::TARGET_METHOD'
                . ($repeatable ? ' \| \\\\Attribute::IS_REPEATABLE' : '') . "\)\\]\n    final class $class\n/", $stub);
        }
    }

    public function testComposerNeverLoadsTheStub(): void
    {
        self::assertArrayNotHasKey('autoload', \json_decode(\file_get_contents(__DIR__ . '/../composer.json'), true));
    }
}
