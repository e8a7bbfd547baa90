<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** One limit of a call, with its limit state. */
final class Context
{
    /** The cost is counted whatever the limit is. */
    public bool $debt = false;
    /** The tag of the limit state after an admission; 0: none. */
    public int $tag = 0;
    /** The number of the acquire. */
    public int $number = 0;
    /** The permit's place, and by how much a booking moved a bucket's arrival time: admit() sets them. */
    public int $place = 0;
    public int $moved = 0;
    /** The number of the limit; that of the rule may be raised by what is carried over. */
    public readonly int $limit;

    /**
     * @param int  $at      the moment that is judged, on the monotonic clock
     * @param bool $booking the moment may lie ahead
     */
    public function __construct(
        public Rule $rule,
        public LimitState $state,
        public readonly Now $now,
        public int $at,
        public bool $booking,
        public int $cost,
        ?int $limit = null,
    ) {
        $this->limit = $limit ?? $rule->limit;
    }

    public function remaining(): int
    {
        return max(0, $this->rule->limit - $this->state->used($this));
    }
}
