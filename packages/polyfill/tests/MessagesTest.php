<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\TestCase;

final class MessagesTest extends TestCase
{
    private const INI = ['ratelimit.testing' => '1', 'ratelimit.store' => 'shm:', 'date.timezone' => 'UTC',
        'ratelimit.trusted_proxies' => '10.0.0.0/8'];

    public function testAnswersAndMessagesAreThoseOfTheExtension(): void
    {
        $extension = $this->answers(['-n', '-d', 'extension=' . Repository::extension(), '-d', 'ratelimit.shm_path=private', '-d', 'error_log=' . Repository::nowhere(), ...Repository::options(self::INI)]);
        $polyfill = $this->answers(Repository::polyfill(self::INI + ['ratelimit_polyfill.warnings' => '0']));

        self::assertCount(\count(require __DIR__ . '/cases.php'), $extension);
        self::assertSame($extension, $polyfill);
    }

    /**
     * @param list<string> $php
     * @return list<string>
     */
    private function answers(array $php): array
    {
        [$exit, $output] = Repository::run([...$php, __DIR__ . '/tools/cases.php', __DIR__ . '/cases.php']);
        self::assertSame(0, $exit, $output);
        return explode("\n", trim($output));
    }
}
