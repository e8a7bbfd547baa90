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
    /** The bans that have escalated, after the decision. */
    public int $level = 0;
    /** @var list<Left> of a decision about limits: each limit, after the call, also of a peek; refused: as it is */
    public array $left = [];
    /** The time until the permit's turn. */
    public int $wait = 0;
    /** The shadow limit that would have refused: its name or its text. */
    public ?string $shadow = null;
    /** A refusal that passes, because no limit is enforced. Nothing was counted. */
    public bool $passed = false;
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

    /**
     * Lets a refusal pass.
     *
     * @param int         $granted the cost of the call
     * @param string|null $shadow  the limit that refused
     */
    public function pass(int $granted, ?string $shadow): void
    {
        $this->accepted = true;
        $this->passed = true;
        $this->retry = 0;
        $this->wait = 0;
        $this->granted = $granted;
        $this->shadow = $shadow;
        if ($this->outcome !== Outcome::STORE_UNAVAILABLE) {
            $this->outcome = Outcome::ACCEPTED;
        }
    }
}
