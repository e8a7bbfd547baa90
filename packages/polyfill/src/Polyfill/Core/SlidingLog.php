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
    public Moments $moments;
    /** How many of the last moments are booked and have not come. */
    public int $ahead = 0;

    public function __construct()
    {
        $this->moments = Moments::of([]);
    }

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->period;
    }

    public function expiresAt(Now $now): int
    {
        $n = $this->moments->count();
        return $n > 0 ? $this->moments->at($n - 1) + $this->period : PHP_INT_MIN;
    }

    public function trimmed(Now $now): static
    {
        $next = clone $this;
        $next->moments = $this->moments->from($this->moments->firstAfter($now->mono - $this->period));
        $next->ahead = min($this->ahead, $next->moments->count());
        while ($next->ahead > 0 && $next->moments->at($next->come()) <= $now->mono) {
            $next->ahead--;
        }
        return $next;
    }

    /** Returns how many of the first moments have come. */
    private function come(): int
    {
        return $this->moments->count() - $this->ahead;
    }

    /** Returns what the fullest interval of the period's length that contains $t holds. */
    private function busiest(int $t): int
    {
        $n = $this->moments->count();
        $from = $this->moments->firstAfter($t - $this->period);
        if ($this->ahead === 0) {
            return $n - $from;
        }
        /* An interval begins with each moment up to t, and one begins with t. A moment that has come lies at t at the
         * latest. */
        $come = $this->come();
        $later = max($come, $this->moments->firstAfter($t));
        $most = 0;
        $to = $from;
        for ($i = $from; $i <= max($from, $later); $i++) {
            $end = ($i < $later ? min($this->moments->at($i), $t) : $t) + $this->period;
            while ($to < $n && ($to < $come || $this->moments->at($to) < $end)) {
                $to++;
            }
            $most = max($most, $to - $i);
        }
        return $most;
    }

    public function used(Context $c): int
    {
        /* Moments elsewhere reduce what is left, too, once the log has no room for more. */
        return max($this->busiest($c->at), $this->moments->count() + $c->rule->limit - Bounds::LOG_MAX);
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
            $t = max($t, $this->moments->at($come - $k) + $this->period);
        }
        for ($a = max(0, $come - $k + 1, $this->moments->firstAfter($t - $this->period)); $a + $k <= $this->moments->count(); $a++) {
            $from = $this->moments->at($a);
            $to = $this->moments->at($a + $k - 1);
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
        $n = $c->debt ? min($c->cost, Bounds::LOG_MAX - $next->moments->count()) : $c->cost;
        $latest = $next->come() > 0 ? $next->moments->at($next->come() - 1) : PHP_INT_MIN;
        $next->ahead += $c->booking && $c->at > $c->now->mono && $c->at > $latest ? $n : 0;
        $next->moments = $next->moments->with($next->moments->firstAfter($c->at), $c->at, $n);
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
        $beyond = $this->moments->count() + $c->cost - Bounds::LOG_MAX;
        return $beyond > 0 ? $this->moments->at($beyond - 1) + $this->period : PHP_INT_MIN;
    }

    public function cancel(Context $c): ?static
    {
        $index = $this->moments->firstAfter($c->at);
        $found = $index - $this->moments->firstAfter($c->at - 1);
        return $found >= $c->cost ? $this->without($index, $c->cost) : null;
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): ?static
    {
        $index = $this->moments->firstAfter($held->place);
        $found = min($n, $index - $this->moments->firstAfter($held->place - 1));
        return $found > 0 ? $this->without($index, $found) : null;
    }

    /** Removes the $n moments before an index, of which all or none lie ahead. */
    private function without(int $index, int $n): static
    {
        $next = clone $this;
        if ($index > $this->come()) {
            $next->ahead = max(0, $this->ahead - $n);
        }
        $next->moments = $this->moments->without($index, $n);
        return $next;
    }
}
