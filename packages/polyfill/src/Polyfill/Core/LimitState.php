<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * The state of one limit: a fresh one, or one that is kept. docs/semantics.md of ratelimit defines each algorithm.
 *
 * A state never changes: a method that counts returns the next state. Times are microseconds of the monotonic clock, where
 * nothing else is said.
 */
abstract class LimitState
{
    public const ALGORITHM = 0;

    /** The number of the permit that named it; 0: none did. */
    public int $tag = 0;
    /** The mark of the limit that wrote it; 0: the limiter had no other one, and the state nothing else. */
    public int $mark = 0;

    public static function fresh(Rule $rule): self
    {
        $class = Algorithm::ROWS[$rule->algorithm]['state'] ?? throw new \LogicException("No algorithm has the number $rule->algorithm");
        return new $class();
    }

    /** Returns whether the state has the limit's period, and rate. */
    abstract public function hasPeriodOf(Rule $rule): bool;

    /** Returns the moment from which on it equals a fresh one by its own period; of a fresh one a past moment. */
    abstract public function expiresAt(Now $now): int;

    /** Returns the state without what no longer counts, which changes no answer. Requires a state that has not expired. */
    public function trimmed(Now $now): static
    {
        return $this;
    }

    /** Returns the permits that count at the moment that is judged. */
    abstract public function used(Context $c): int;

    /** Returns the first moment at or after $t at which the cost would be admitted. */
    abstract public function earliest(Context $c, int $t): int;

    /** Returns the moment at which the limit has all its permits again. */
    abstract public function fullAt(Context $c): int;

    /** Counts the cost at the moment that is judged, by the limit's period, in a copy. Sets the context's place. */
    abstract public function admit(Context $c): static;

    /** Gives back up to the cost of what counts now. */
    abstract public function credit(Context $c): static;

    /** Gives back $n of what a permit holds; $all: as if the permit had never been. Returns null when its place is gone. */
    abstract public function giveBack(Context $c, Held $held, int $n, bool $all): ?static;

    /** Returns when there is room for the booking; now or earlier when there is. */
    public function bookAt(Context $c): int
    {
        return PHP_INT_MIN;
    }

    /** Removes a booking of the moment that is judged. Returns null when there is none. */
    public function cancel(Context $c): ?static
    {
        return null;
    }

    /** Moves the end of a permit's place. Returns null when it is gone. */
    public function renew(Held $held, int $end): ?static
    {
        return null;
    }

    protected static function floorDiv(int $a, int $b): int
    {
        return intdiv($a, $b) - ($a % $b < 0 ? 1 : 0);
    }
}
