<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Random programs are answered field by field as the reference model of the extension answers them. */
final class ModelTest extends TestCase
{
    private const MEMORY = ['counter', 'fixedWindow', 'calendar', 'slidingLog', 'slidingWindow', 'tokenBucket', 'compound', 'booking',
        'permits', 'permitsCompound', 'concurrent', 'large', 'permitsLarge', 'costs', 'permitsCosts', 'identities',
        'calendarSetBack', 'permitsCalendarSetBack'];
    private const MIXED = ['counter', 'compound', 'booking', 'permitsCompound', 'concurrent', 'permitsLarge', 'permitsCosts', 'identities',
        'permitsSetBack'];

    /** @return iterable<string, array{string, string, string, int}> */
    public static function programs(): iterable
    {
        foreach (self::MEMORY as $kind) {
            yield "memory, $kind" => ['shm', $kind, 'auto', 400];
        }
        yield 'memory, several states in turn, identities' => ['together', 'identities', 'auto', 400];
        foreach (self::MIXED as $kind) {
            yield "in turns with the extension, $kind" => ['mixed', $kind, 'auto', 200];
        }
        foreach (['counter', 'permitsCompound', 'costs', 'permitsLarge', 'identities', 'permitsSetBack'] as $kind) {
            yield "Redis by phpredis, $kind" => ['redis', $kind, 'phpredis', 150];
            yield "Redis by Predis, $kind" => ['redis', $kind, 'predis', 150];
        }
    }

    #[DataProvider('programs')]
    public function testRandomProgramsAreAnsweredAsTheModelAnswers(string $store, string $kind, string $client, int $calls): void
    {
        $repository = Repository::required();
        if ($store === 'mixed') {
            Repository::extension();
        }
        if ($store !== 'shm' && $store !== 'together') {
            Repository::needsRedis();
        }
        if ($client === 'phpredis' && !\extension_loaded('redis')) {
            self::markTestSkipped('The extension redis (phpredis) is not loaded.');
        }
        [$exit, $output] = Repository::run(
            [...Repository::polyfill(), __DIR__ . '/model/play.php', $repository, $store, $kind, (string) $calls, '20000'],
            ['RATELIMIT_POLYFILL_CLIENT' => $client],
        );
        self::assertSame(0, $exit, $output);
        self::assertMatchesRegularExpression('/^\w+, \w+: \d+ programs, \d+ calls, all answered as the model answers/m', $output);
    }
}
