<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The answer to a question, or to a call of doHandle() and check(). All times are in microseconds. */
final class Answer
{
    public const NEVER = -1;

    /** Whether there was a booking, a ban, a state, the places: of a command. */
    public bool $found = false;
    /** The cost that was counted. */
    public int $granted = 0;
    /** The time until the permit's turn. */
    public int $wait = 0;
    /** @var list<Held> what an admitted acquire holds, one for each limit */
    public array $held = [];
    /** The store that decided, as Result::$store has it. */
    public string $store = 'shm';
    public bool $accepted;

    /**
     * @param int $outcome one of Outcome
     * @param int $index   of the deciding limit
     * @param int $limit   its number
     * @param int $retry   until the call passes, or NEVER; accepted: until the next one with a cost of 1 does
     */
    public function __construct(
        public int $outcome,
        public int $index,
        public int $limit,
        public int $remaining,
        public int $retry,
        public int $reset,
    ) {
        $this->accepted = $outcome === Outcome::ACCEPTED;
    }
}
