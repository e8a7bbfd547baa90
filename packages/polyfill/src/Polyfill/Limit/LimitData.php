<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limit;

use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Calendar;
use FrequencyLimit\Polyfill\Core\Rule;

/** Holds the parts of a FrequencyLimit\Limit: the numbers, its name, its time zone, the Period that ends its ban (0: none), its anchor, whether it is a shadow, the label of its identity, and the unit of its permits. */
final class LimitData
{
    public function __construct(
        public readonly Rule $rule,
        public readonly ?string $name = null,
        public readonly ?string $zone = null,
        public readonly int $banPeriod = 0,
        public readonly int $anchor = 0,
        public readonly bool $shadow = false,
        public readonly ?string $by = null,
        public readonly ?string $unit = null,
    ) {
    }

    /** Returns those of a Limit::none() with a name and a label. It has no other parts. */
    public static function none(?string $name = null, ?string $by = null): self
    {
        return new self(new Rule(Algorithm::NONE, Bounds::LIMIT_MAX), $name, by: $by);
    }

    /**
     * Returns a copy with numbers of its own.
     *
     * @param array{rule?: Rule, name?: ?string, zone?: ?string, banPeriod?: int, shadow?: bool, by?: string, unit?: string} $changes
     */
    public function with(array $changes): self
    {
        $changes += ['rule' => clone $this->rule, 'name' => $this->name, 'zone' => $this->zone, 'banPeriod' => $this->banPeriod, 'shadow' => $this->shadow,
            'by' => $this->by, 'unit' => $this->unit];
        return new self(...$changes, anchor: $this->anchor);
    }

    /** Returns whether a question needs the boundaries of a clock's window. */
    public function needsNow(): bool
    {
        return $this->rule->algorithm === Algorithm::CALENDAR_WINDOW || $this->banPeriod > 0;
    }

    /**
     * Sets the boundaries of the clock's windows around a moment, and the next one that ends a ban, in a copy's numbers.
     *
     * @param int $about the moment that is judged, and $now, in microseconds of the wall clock
     */
    public function setBoundaries(Rule $rule, int $about, int $now): void
    {
        if ($rule->algorithm === Algorithm::CALENDAR_WINDOW) {
            $rule->boundaries = Calendar::windows((string) $this->zone, $rule->calendar, $about, $this->anchor);
        }
        if ($this->banPeriod > 0) {
            $rule->banUs = Calendar::windows((string) $this->zone, $this->banPeriod, $now)[1];
        }
    }
}
