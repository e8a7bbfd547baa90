<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The numbers of one limit. All times are in microseconds. */
final class Rule
{
    /** @var array{int, int, int} of a calendar window: begin and end of the clock's window, end of the next one */
    public array $boundaries = [0, 0, 0];

    /**
     * @param int $algorithm one of Algorithm
     * @param int $limit     a bucket's capacity
     * @param int $period    0 of a calendar window; for how long a place is held
     * @param int $rate      of a token bucket: permits in a period; else 0
     * @param int $calendar  of a calendar window: the number of its Period; else 0
     * @param int $banKind   one of BanKind
     * @param int $banUs     a time, or a moment of the wall clock
     * @param BanSteps|null $steps of BanKind::STEPS
     * @param bool $leased   a machine with the extension may take permits ahead of calls
     * @param int $identity  the index of its identity's key, of limits with identities of their own
     * @param int $mark of its limit state: Mark::set() sets it
     */
    public function __construct(
        public readonly int $algorithm,
        public int $limit,
        public readonly int $period = 0,
        public readonly int $rate = 0,
        public readonly int $calendar = 0,
        public int $banKind = BanKind::NONE,
        public int $banUs = 0,
        public ?BanSteps $steps = null,
        public int $identity = 0,
        public bool $leased = false,
        public int $mark = 0,
    ) {
    }

    /** Returns whether a limit of the same limiter is of one kind with this one, for the same identity. */
    public function equals(self $other): bool
    {
        return $this->algorithm === $other->algorithm && $this->periodKey() === $other->periodKey() && $this->rate === $other->rate
            && $this->identity === $other->identity;
    }

    /** Returns whether a limit state has the algorithm, the period and the rate of this limit. */
    public function isKindOf(LimitState $state): bool
    {
        return $state::ALGORITHM === $this->algorithm && $state->hasPeriodOf($this);
    }

    /** Returns the number by which a state's period is recognised, beside algorithm and rate. */
    public function periodKey(): int
    {
        return $this->algorithm === Algorithm::CALENDAR_WINDOW ? $this->calendar : $this->period;
    }
}
