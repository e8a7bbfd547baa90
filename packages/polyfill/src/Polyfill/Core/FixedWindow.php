<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * The fixed window. Calls that wait for their turn are counted in the windows that follow the current one directly, each of
 * the same period.
 */
final class FixedWindow extends LimitState
{
    public const ALGORITHM = Algorithm::FIXED_WINDOW;

    private int $period = 0;
    /** Of the current window; 0: a fresh state. */
    private int $end = 0;
    private int $count = 0;
    /** @var list<int> counts of the later windows, of which the last is above 0 */
    private array $later = [];

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->period;
    }

    public function expiresAt(Now $now): int
    {
        return $this->end + \count($this->later) * $this->period;
    }

    public function trim(Now $now): void
    {
        while ($this->later && $this->end <= $now->mono) {
            $this->end += $this->period;
            $this->count = (int) array_shift($this->later);
        }
    }

    /** Returns the number of the window that contains $t; the current one has 0. */
    private function windowAt(int $t): int
    {
        return $t < $this->end ? 0 : intdiv($t - $this->end, $this->period) + 1;
    }

    private function countOf(int $window): int
    {
        return $window === 0 ? $this->count : $this->later[$window - 1] ?? 0;
    }

    private function set(int $window, int $count): void
    {
        if ($window === 0) {
            $this->count = $count;
            return;
        }
        $later = $this->later;
        while (\count($later) < $window) {
            $later[] = 0;
        }
        $later[$window - 1] = $count;
        while ($later && end($later) === 0) {
            array_pop($later);
        }
        $this->later = array_values($later);
    }

    public function used(Context $c): int
    {
        return $this->end === 0 ? 0 : $this->countOf($this->windowAt($c->at));
    }

    public function earliest(Context $c, int $t): int
    {
        if ($this->end === 0) {
            return $t;
        }
        $window = $begun = $this->windowAt($t);
        $last = \count($this->later);
        while ($window <= $last && $this->countOf($window) + $c->cost > $c->rule->limit) {
            $window++;
        }
        return $window === $begun ? $t : $this->end + ($window - 1) * $this->period;
    }

    public function fullAt(Context $c): int
    {
        return $this->end === 0 ? $c->now->mono : $this->expiresAt($c->now);
    }

    /** A running window keeps its period: a changed limit applies from the next window on. */
    public function admit(Context $c): void
    {
        if ($this->end === 0) {
            $this->period = $c->rule->period;
            $this->end = $c->now->mono + $this->period;
        }
        $window = $this->windowAt($c->at);
        $c->place = $this->end + $window * $this->period;
        $this->set($window, min(Bounds::LIMIT_MAX, $this->countOf($window) + $c->cost));
    }

    public function credit(Context $c): void
    {
        $this->count = max(0, $this->count - $c->cost);
    }

    public function bookAt(Context $c): int
    {
        if ($this->end === 0) {
            $end = $c->now->mono + $c->rule->period;
            $windows = $c->at < $end ? 0 : intdiv($c->at - $end, $c->rule->period) + 1;
            return $windows >= Bounds::WINDOWS_MAX ? $end : PHP_INT_MIN;
        }
        return $this->windowAt($c->at) >= Bounds::WINDOWS_MAX ? $this->end : PHP_INT_MIN;
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): bool
    {
        $behind = $held->place - $this->end;
        if ($this->end === 0 || $behind < 0 || $behind % $this->period !== 0
            || $behind > \count($this->later) * $this->period) {
            return false;
        }
        $window = intdiv($behind, $this->period);
        $this->set($window, max(0, $this->countOf($window) - $n));
        return true;
    }
}
