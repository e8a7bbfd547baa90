<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Core\Calendar;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Rule;

/** Holds the parts of a FrequencyLimit\Limit: the numbers, its name, its time zone, the Period that ends its ban (0: none), its anchor, whether it is a shadow, and the label of its identity. */
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
    ) {
    }

    /** Returns a copy with other numbers. */
    public function withRule(Rule $rule): self
    {
        return new self($rule, $this->name, $this->zone, $this->banPeriod, $this->anchor, $this->shadow, $this->by);
    }

    /** Returns a copy whose numbers may be changed. */
    public function withName(?string $name): self
    {
        return new self(clone $this->rule, $name, $this->zone, $this->banPeriod, $this->anchor, $this->shadow, $this->by);
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
