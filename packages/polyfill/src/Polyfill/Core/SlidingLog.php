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

    /** The dropped moments that may stay in front of the list before it is copied. */
    private const SLACK = 64;

    private int $period = 0;
    /** @var list<int> in order; those before $first are dropped */
    private array $moments = [];
    private int $first = 0;
    /** The length of the list. */
    private int $n = 0;
    /** How many of the last moments are booked and have not come. */
    private int $ahead = 0;

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->period;
    }

    public function expiresAt(Now $now): int
    {
        return $this->n > $this->first ? $this->moments[$this->n - 1] + $this->period : PHP_INT_MIN;
    }

    public function trim(Now $now): void
    {
        $this->dropUntil($now->mono - $this->period);
        while ($this->ahead > 0 && $this->moments[$this->n - $this->ahead] <= $now->mono) {
            $this->ahead--;
        }
    }

    /** Drops the moments up to $t. */
    private function dropUntil(int $t): void
    {
        while ($this->first < $this->n && $this->moments[$this->first] <= $t) {
            $this->first++;
        }
        if ($this->first > self::SLACK && 2 * $this->first > $this->n) {
            $this->moments = \array_slice($this->moments, $this->first);
            $this->n -= $this->first;
            $this->first = 0;
        }
        $this->ahead = min($this->ahead, $this->n - $this->first);
    }

    /** Returns the index of the first moment later than $t. */
    private function firstAfter(int $t): int
    {
        $low = $this->first;
        $high = $this->n;
        if ($low === $high || $this->moments[$low] > $t) {
            return $low;
        }
        if ($this->moments[$high - 1] <= $t) {
            return $high;
        }
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
        if ($this->first === $this->n) {
            return 0;
        }
        $n = $this->n;
        $from = $this->moments[$this->first] <= $t - $this->period ? $this->firstAfter($t - $this->period) : $this->first;
        if ($this->ahead === 0 || $this->moments[$n - 1] <= $t) {
            return $n - $from;
        }
        /* An interval begins with each moment up to t, and one begins with t. A moment that has come lies at t at the
         * latest. */
        $come = $n - $this->ahead;
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
        return max($this->busiest($c->at), $this->n - $this->first + $c->rule->limit - Bounds::LOG_MAX);
    }

    public function earliest(Context $c, int $t): int
    {
        if (!$c->booking) {
            $t = max($t, $this->bookAt($c));
        }
        $k = $c->rule->limit - $c->cost + 1;
        $n = $this->n;
        if ($n - $this->first < $k) {
            return $t;
        }
        $come = $n - $this->ahead;
        for ($a = $this->firstForbidding($k, $t); $a + $k <= $n; $a++) {
            $from = $this->moments[$a];
            $hasCome = $a + $k <= $come;
            $to = $hasCome ? $from : $this->moments[$a + $k - 1];
            if (!$hasCome && $to - $this->period >= $t) {
                break;
            }
            if (($hasCome || $to - $from < $this->period) && $t < $from + $this->period) {
                $t = $from + $this->period;
            }
        }
        return $t;
    }

    /** Returns the index of the first k moments that can forbid $t: those before it end earlier. */
    private function firstForbidding(int $k, int $t): int
    {
        if ($this->ahead === 0 || $this->moments[$this->n - 1] <= $t) {
            return $this->n - $k;
        }
        return max($this->first, min($this->firstAfter($t - $this->period), $this->n - $k), $this->n - $this->ahead - $k);
    }

    public function fullAt(Context $c): int
    {
        return $this->n > $this->first ? $this->expiresAt($c->now) : $c->now->mono;
    }

    public function admit(Context $c): void
    {
        if ($this->n === $this->first) {
            $this->moments = [];
            $this->first = $this->n = $this->ahead = 0;
        }
        /* With a shorter period more moments leave; with a longer one none comes back. */
        if ($this->period !== $c->rule->period) {
            $this->period = $c->rule->period;
            $this->dropUntil($c->now->mono - $this->period);
        }
        $n = $c->debt ? min($c->cost, Bounds::LOG_MAX - ($this->n - $this->first)) : $c->cost;
        $c->place = $c->at;
        if ($n <= 0) {
            return;
        }
        $come = $this->n - $this->ahead;
        $isAhead = $c->booking && $c->at > $c->now->mono && ($come <= $this->first || $c->at > $this->moments[$come - 1]);
        $index = $this->firstAfter($c->at);
        if ($index === $this->n) {
            for ($i = 0; $i < $n; $i++) {
                $this->moments[] = $c->at;
            }
        } else {
            array_splice($this->moments, $index, 0, array_fill(0, $n, $c->at));
        }
        $this->n += $n;
        $this->ahead += $isAhead ? $n : 0;
    }

    /** Removes the latest moments that have come. */
    public function credit(Context $c): void
    {
        $come = $this->n - $this->ahead;
        $n = min($c->cost, $come - $this->first);
        if ($n > 0) {
            array_splice($this->moments, $come - $n, $n);
            $this->n -= $n;
        }
    }

    public function bookAt(Context $c): int
    {
        $beyond = $this->n - $this->first + $c->cost - Bounds::LOG_MAX;
        return $beyond > 0 ? $this->moments[$this->first + $beyond - 1] + $this->period : PHP_INT_MIN;
    }

    public function cancel(Context $c): bool
    {
        $index = $this->firstAfter($c->at);
        if ($index - $this->first < $c->cost || $this->moments[$index - $c->cost] !== $c->at) {
            return false;
        }
        $this->removeBefore($index, $c->cost);
        return true;
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): bool
    {
        $index = $this->firstAfter($held->place);
        $found = 0;
        while ($found < $n && $index - $found > $this->first && $this->moments[$index - $found - 1] === $held->place) {
            $found++;
        }
        if ($found > 0) {
            $this->removeBefore($index, $found);
        }
        return $found > 0;
    }

    /** Removes $n equal moments, which end before the index and of which all or none lie ahead. */
    private function removeBefore(int $index, int $n): void
    {
        if ($index > $this->n - $this->ahead) {
            $this->ahead = max(0, $this->ahead - $n);
        }
        array_splice($this->moments, $index - $n, $n);
        $this->n -= $n;
    }
}
