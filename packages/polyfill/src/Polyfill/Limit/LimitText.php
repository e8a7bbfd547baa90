<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limit;

use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\BanSteps;
use FrequencyLimit\Polyfill\Core\Calendar;
use FrequencyLimit\Polyfill\Core\Rule;

/** Writes limits as text: "log:5/15m,ban=1h,name=account". LimitParser reads it. */
final class LimitText
{
    /** The units of durations in microseconds, the largest first. */
    public const UNITS = ['w' => 604_800_000_000, 'd' => 86_400_000_000, 'h' => 3_600_000_000, 'm' => 60_000_000, 's' => 1_000_000,
        'ms' => 1_000];

    public static function algorithm(Rule $rule): string
    {
        return Algorithm::ROWS[$rule->algorithm]['word'] ?? 'none';
    }

    /** Returns the value of the Period; an interval is none. */
    public static function period(int $period): string
    {
        return (string) array_search(Calendar::isWeek($period) ? Calendar::WEEK : $period, Calendar::PERIODS, true);
    }

    public static function write(LimitData $data): string
    {
        return ($data->rule->algorithm === Algorithm::NONE ? 'none' : self::limit($data) . self::word('unit', $data->unit)) . self::word('by', $data->by) . self::word('name', $data->name);
    }

    /** Writes a unit, a label or a name. A byte that separates parts of the text, lists or lines of an INI file is written as %2C. */
    private static function word(string $option, ?string $word): string
    {
        return $word === null ? '' : ",$option="
            . preg_replace_callback('/[ %,;"\']/', static fn (array $found): string => sprintf('%%%02X', \ord($found[0])), $word);
    }

    private static function limit(LimitData $data): string
    {
        $rule = $data->rule;
        $isBucket = $rule->algorithm === Algorithm::TOKEN_BUCKET;
        $text = self::algorithm($rule) . ':' . ($isBucket ? $rule->rate : $rule->limit) . '/'
            . ($rule->algorithm === Algorithm::CALENDAR_WINDOW ? CalendarText::period($rule->calendar) . "@$data->zone" : self::duration($rule->period));
        $text .= Calendar::isInterval($rule->calendar) ? ',from=' . CalendarText::anchor($rule->calendar, $data->anchor) : '';
        $text .= $isBucket && $rule->limit !== $rule->rate ? ",burst=$rule->limit" : '';
        $text .= self::ban($data);
        return $text . ($rule->leased ? ',lease' : '') . ($data->shadow ? ',shadow' : '');
    }

    private static function ban(LimitData $data): string
    {
        $rule = $data->rule;
        if ($data->banPeriod > 0) {
            return ',ban=' . CalendarText::period($data->banPeriod) . ($rule->algorithm === Algorithm::CALENDAR_WINDOW ? '' : "@$data->zone");
        }
        return match ($rule->banKind) {
            BanKind::FOR => ',ban=' . self::duration($rule->banUs),
            BanKind::STEPS => self::bans($rule->steps),
            BanKind::UNTIL => ',ban=@' . intdiv($rule->banUs, 1_000_000) . self::fraction($rule->banUs % 1_000_000, 6),
            default => '',
        };
    }

    private static function bans(?BanSteps $steps): string
    {
        return $steps === null ? '' : ',bans=' . implode('+', array_map(self::duration(...), $steps->times)) . ',forget=' . self::duration($steps->forget);
    }

    /** Writes a duration in the largest unit of which it is a multiple, or in milliseconds with decimals. */
    private static function duration(int $us): string
    {
        foreach (self::UNITS as $word => $unit) {
            if ($us % $unit === 0 || $word === 'ms') {
                return intdiv($us, $unit) . self::fraction($us % $unit, 3) . $word;
            }
        }
        return '';
    }

    private static function fraction(int $fraction, int $digits): string
    {
        return $fraction === 0 ? '' : '.' . rtrim(sprintf("%0{$digits}d", $fraction), '0');
    }
}
