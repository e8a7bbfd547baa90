<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * The sliding log: keeps each admitted moment until it is a period old; with bookings, also moments that lie ahead of now. A
 * moment that has come counts until it is a period old, also for moments before it.
 */
final class SlidingLog extends LimitState
{
    public const ALGORITHM = Algorithm::SLIDING_LOG;

    public int $period = 0;
    /** @var list<int> in order */
    public array $moments = [];
    /** How many of the last moments are booked and have not come. */
    public int $ahead = 0;

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->period;
    }

    public function expiresAt(Now $now): int
    {
        return $this->moments ? end($this->moments) + $this->period : PHP_INT_MIN;
    }

    public function trimmed(Now $now): static
    {
        $next = clone $this;
        $next->moments = \array_slice($this->moments, $this->firstAfter($now->mono - $this->period));
        $next->ahead = min($this->ahead, \count($next->moments));
        while ($next->ahead > 0 && $next->moments[$next->come()] <= $now->mono) {
            $next->ahead--;
        }
        return $next;
    }

    /** Returns how many of the first moments have come. */
    private function come(): int
    {
        return \count($this->moments) - $this->ahead;
    }

    /** Returns the index of the first moment later than $t. */
    private function firstAfter(int $t): int
    {
        $low = 0;
        $high = \count($this->moments);
        while ($low < $high) {
            $middle = ($low + $high) >> 1;
            if ($this->moments[$middle] <= $t) {
                $low = $middle + 1;
            } else {
                $high = $middle;
            }
        }
        return $low;
    }

    /** Returns what the fullest interval of the period's length that contains $t holds. */
    private function busiest(int $t): int
    {
        $n = \count($this->moments);
        $from = $this->firstAfter($t - $this->period);
        if ($this->ahead === 0) {
            return $n - $from;
        }
        /* An interval begins with each moment up to t, and one begins with t. A moment that has come lies at t at the
         * latest. */
        $come = $this->come();
        $later = max($come, $this->firstAfter($t));
        $most = 0;
        $to = $from;
        for ($i = $from; $i <= max($from, $later); $i++) {
            $end = ($i < $later ? min($this->moments[$i], $t) : $t) + $this->period;
            while ($to < $n && ($to < $come || $this->moments[$to] < $end)) {
                $to++;
            }
            $most = max($most, $to - $i);
        }
        return $most;
    }

    public function used(Context $c): int
    {
        /* Moments elsewhere reduce what is left, too, once the log has no room for more. */
        return max($this->busiest($c->at), \count($this->moments) + $c->rule->limit - Bounds::LOG_MAX);
    }

    /** Moments of which so many lie within a period that the cost would be one too many forbid what is less than a period away. */
    public function earliest(Context $c, int $t): int
    {
        if (!$c->booking) {
            $t = max($t, $this->bookAt($c));
        }
        $k = $c->rule->limit - $c->cost + 1;
        $come = $this->come();
        if ($come >= $k) {
            $t = max($t, $this->moments[$come - $k] + $this->period);
        }
        for ($a = max(0, $come - $k + 1, $this->firstAfter($t - $this->period)); $a + $k <= \count($this->moments); $a++) {
            $from = $this->moments[$a];
            $to = $this->moments[$a + $k - 1];
            if ($to - $this->period >= $t) {
                break;
            }
            if ($to - $from < $this->period) {
                $t = max($t, $from + $this->period);
            }
        }
        return $t;
    }

    public function fullAt(Context $c): int
    {
        return max($c->now->mono, $this->expiresAt($c->now));
    }

    public function admit(Context $c): static
    {
        $next = clone $this;
        $next->period = $c->rule->period;
        if ($next->period !== $this->period) {
            /* With a shorter period more moments leave; with a longer one none comes back. */
            $next = $next->trimmed($c->now);
        }
        $n = $c->debt ? min($c->cost, Bounds::LOG_MAX - \count($next->moments)) : $c->cost;
        $latest = $next->moments[$next->come() - 1] ?? PHP_INT_MIN;
        $isAhead = $c->booking && $c->at > $c->now->mono && $c->at > $latest;
        $index = $next->firstAfter($c->at);
        $added = array_fill(0, $n, $c->at);
        $index === \count($next->moments) ? array_push($next->moments, ...$added) : array_splice($next->moments, $index, 0, $added);
        $next->ahead += $isAhead ? $n : 0;
        $c->place = $c->at;
        return $next;
    }

    /** Removes the latest moments that have come. */
    public function credit(Context $c): static
    {
        return $this->without($this->come(), min($c->cost, $this->come()));
    }

    public function bookAt(Context $c): int
    {
        $beyond = \count($this->moments) + $c->cost - Bounds::LOG_MAX;
        return $beyond > 0 ? $this->moments[$beyond - 1] + $this->period : PHP_INT_MIN;
    }

    public function cancel(Context $c): ?static
    {
        $index = $this->firstAfter($c->at);
        return ($this->moments[$index - $c->cost] ?? null) === $c->at ? $this->without($index, $c->cost) : null;
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): ?static
    {
        $index = $this->firstAfter($held->place);
        $found = min($n, $index - $this->firstAfter($held->place - 1));
        return $found > 0 ? $this->without($index, $found) : null;
    }

    /** Removes the $n moments before an index, of which all or none lie ahead. */
    private function without(int $index, int $n): static
    {
        $next = clone $this;
        if ($index > $this->come()) {
            $next->ahead = max(0, $this->ahead - $n);
        }
        array_splice($next->moments, $index - $n, $n);
        return $next;
    }
}
