<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\TestCase;

final class ScriptsTest extends TestCase
{
    public function testTheScriptsAreThoseOfTheExtensionByteForByte(): void
    {
        $repository = Repository::required();
        require_once \dirname(__DIR__) . '/tools/copy-scripts.php';
        foreach (ratelimit_scripts("$repository/src/redis/lua") as $file => $text) {
            self::assertStringEqualsFile(\dirname(__DIR__) . "/resources/$file", $text, "run php tools/copy-scripts.php: $file is older");
        }
    }

    public function testTheCopyIsWhatTheExtensionEmbeds(): void
    {
        $repository = Repository::required();
        foreach (['counter', 'limiter'] as $name) {
            $header = @file_get_contents("$repository/src/redis/{$name}_lua.h");
            if ($header === false) {
                self::markTestSkipped('The extension is not built in its repository.');
            }
            preg_match_all('/^"(.*)\\\\n"$/m', $header, $lines);
            $embedded = implode('', array_map(static fn (string $line): string => stripslashes($line) . "\n", $lines[1]));
            self::assertStringEqualsFile(\dirname(__DIR__) . "/resources/$name.lua", $embedded);
        }
    }
}
