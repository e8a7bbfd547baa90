<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Calendar;
use FrequencyLimit\Polyfill\Core\Mark;
use FrequencyLimit\Polyfill\Core\Rule;
use PHPUnit\Framework\TestCase;

/** tests/c/core/limit_mark_test.c has the same numbers. */
final class MarkTest extends TestCase
{
    public function testLimitsHaveTheMarksOfTheExtension(): void
    {
        self::assertSame([0x1c7e, 0x18b8, 0xcd9, 0xcd9], self::marks(['requests', 'tokens', null, null], [2, 5, 2, 2], [60, 60, 60, 3600]));
        [$first, $own, $second] = self::marks([null, null, null], [2, 5, 2], [60, 60, 60]);
        self::assertSame([1 + 0 + 8 * 3, 1 + 2 + 8 * 3], [$first, $second]);
        self::assertGreaterThan(0x800, $own);
        self::assertSame([1 + 0 + 8 * 2, 1 + 1 + 8 * 2], self::marks(['a4', 'a11'], [2, 5], [60, 60]), 'two names with one hash');
    }

    public function testCalendarsHaveTheirZonesInTheirMarks(): void
    {
        $rules = [new Rule(Algorithm::CALENDAR_WINDOW, 5, calendar: Calendar::PERIODS['day']), new Rule(Algorithm::CALENDAR_WINDOW, 5, calendar: Calendar::PERIODS['day'])];
        Mark::set($rules, [null, null], ['Asia/Shanghai', 'UTC']);
        self::assertSame(0xa94, $rules[0]->mark);
        self::assertNotSame(0xa94, $rules[1]->mark);
    }

    /**
     * @param list<?string> $names
     * @param list<int>     $numbers
     * @param list<int>     $periods
     * @return list<int>
     */
    private static function marks(array $names, array $numbers, array $periods): array
    {
        $rules = array_map(static fn (int $number, int $period): Rule => new Rule(Algorithm::FIXED_WINDOW, $number, $period), $numbers, $periods);
        Mark::set($rules, $names, array_fill(0, \count($rules), null));
        return array_map(static fn (Rule $rule): int => $rule->mark, $rules);
    }
}
