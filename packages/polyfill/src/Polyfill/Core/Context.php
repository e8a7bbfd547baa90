<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** One limit of a call, with its limit state. */
final class Context
{
    /** The cost is counted whatever the limit is. */
    public bool $debt = false;
    /** The tag of the limit state that admit() makes; 0: none. */
    public int $tag = 0;
    /** The number of the acquire. */
    public int $number = 0;
    /** The permit's place, and by how much a booking moved a bucket's arrival time: admit() sets them. */
    public int $place = 0;
    public int $moved = 0;

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
    ) {
    }

    /** Counts the cost. $number: an acquire's, or 0. */
    public function admit(int $number): void
    {
        $this->number = $number;
        $this->tag = $this->tagToMake();
        $this->state = $this->state->admit($this);
        $this->state->tag = $this->tag;
    }

    /**
     * Returns the tag of the limit state that admit() makes: that of the present one, unless that ends here by a conversion. An
     * acquire gives its number to a limit state without a tag; concurrent places have their own.
     */
    private function tagToMake(): int
    {
        $algorithm = $this->rule->algorithm;
        $ends = ($algorithm === Algorithm::SLIDING_WINDOW || $algorithm === Algorithm::TOKEN_BUCKET) && !$this->state->hasPeriodOf($this->rule);
        $tag = $ends ? 0 : $this->state->tag;
        return $tag !== 0 || $algorithm === Algorithm::CONCURRENT ? $tag : $this->number;
    }

    /** Returns whether the limit state has not expired. */
    public function isLive(): bool
    {
        return $this->state->expiresAt($this->now) > $this->now->mono;
    }

    public function remaining(): int
    {
        return max(0, $this->rule->limit - $this->state->used($this));
    }
}
