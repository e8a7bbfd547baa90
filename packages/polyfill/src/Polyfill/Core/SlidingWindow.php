<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * The sliding window: cuts the period into 30 sub-windows with a counter each. A permit counts until its whole sub-window is a
 * period old.
 */
final class SlidingWindow extends LimitState
{
    public const ALGORITHM = Algorithm::SLIDING_WINDOW;

    private const SUB_WINDOWS = 30;

    public int $period = 0;
    /** Of a sub-window. */
    public int $width = 1;
    /** The begin of sub-window 0. */
    public int $origin = 0;
    /** @var array<int, int> number of the sub-window => count above 0, in the order of the numbers */
    public array $counters = [];

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->period;
    }

    /** Returns the sub-window that contains $t. */
    private function indexOf(int $t): int
    {
        return self::floorDiv($t - $this->origin, $this->width);
    }

    private function beginOf(int $i): int
    {
        return $this->origin + $i * $this->width;
    }

    /** Returns when a counter stops counting. */
    public function counterExpiresAt(int $i): int
    {
        return $this->beginOf($i + 1) + $this->period;
    }

    public function expiresAt(Now $now): int
    {
        return $this->counters ? $this->counterExpiresAt((int) array_key_last($this->counters)) : PHP_INT_MIN;
    }

    public function trimmed(Now $now): static
    {
        $next = clone $this;
        foreach ($this->counters as $i => $_) {
            if ($this->counterExpiresAt($i) > $now->mono) {
                break;
            }
            unset($next->counters[$i]);
        }
        return $next;
    }

    public function used(Context $c): int
    {
        $used = 0;
        foreach ($this->counters as $i => $count) {
            $used += $this->counterExpiresAt($i) > $c->at ? $count : 0;
        }
        return $used;
    }

    public function earliest(Context $c, int $t): int
    {
        $used = array_sum($this->counters);
        foreach ($this->counters as $i => $count) {
            $end = $this->counterExpiresAt($i);
            if ($end > $t) {
                if ($used + $c->cost <= $c->rule->limit) {
                    break;
                }
                $t = $end;
            }
            $used -= $count;
        }
        return $t;
    }

    public function fullAt(Context $c): int
    {
        return max($c->now->mono, $this->expiresAt($c->now));
    }

    /** Sets the count of a sub-window; one of 0 goes. */
    private function set(int $i, int $count): static
    {
        $this->counters[$i] = min(Bounds::LIMIT_MAX, $count);
        if ($count <= 0) {
            unset($this->counters[$i]);
        }
        ksort($this->counters);
        return $this;
    }

    private function begin(int $period, int $origin): static
    {
        $this->period = $period;
        $this->width = intdiv($period + self::SUB_WINDOWS - 1, self::SUB_WINDOWS);
        $this->origin = $origin;
        $this->counters = [];
        return $this;
    }

    /**
     * Returns the state with another period. What was counted is counted anew at the last moment of its sub-window, or now, if
     * that contains it, so that nothing is forgotten too early.
     */
    private function converted(int $period, Now $now): static
    {
        $moments = [];
        foreach ($this->counters as $i => $count) {
            $last = $this->beginOf($i + 1) - 1;
            $moments[] = [$this->beginOf($i) <= $now->mono ? min($now->mono, $last) : $last, $count];
        }
        $next = (clone $this)->begin($period, min($now->mono, $moments[0][0] ?? $now->mono));
        foreach ($moments as [$moment, $count]) {
            $i = $next->indexOf($moment);
            $next->set($i, ($next->counters[$i] ?? 0) + $count);
        }
        return $next->trimmed($now);
    }

    public function admit(Context $c): static
    {
        $next = clone $this;
        if ($this->period !== $c->rule->period) {
            $next = $next->converted($c->rule->period, $c->now);
        }
        if (!$next->counters) {
            $next->begin($c->rule->period, $c->now->mono);
        }
        $i = $next->indexOf($c->at);
        $c->place = $next->beginOf($i);
        return $next->set($i, ($next->counters[$i] ?? 0) + $c->cost);
    }

    /** Takes from the newest counter first. */
    public function credit(Context $c): static
    {
        $next = clone $this;
        $left = $c->cost;
        foreach (array_reverse($this->counters, true) as $i => $count) {
            if ($left <= 0) {
                break;
            }
            $next->set($i, $count - $left);
            $left -= $count;
        }
        return $next;
    }

    /** Only a call that waits for its turn needs room. */
    public function bookAt(Context $c): int
    {
        $ahead = array_filter(array_keys($this->counters), fn (int $i): bool => $this->beginOf($i) > $c->now->mono);
        return \count($ahead) >= Bounds::WINDOWS_MAX ? $this->counterExpiresAt((int) array_key_first($this->counters)) : PHP_INT_MIN;
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): ?static
    {
        $i = $this->indexOf($held->place);
        if ($held->place !== $this->beginOf($i) || !isset($this->counters[$i])) {
            return null;
        }
        return (clone $this)->set($i, $this->counters[$i] - $n);
    }
}
