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

    private int $period = 0;
    private int $width = 1;
    private int $origin = 0;
    /** @var array<int, int> index of the sub-window => count above 0, in the order of the indexes */
    private array $counters = [];

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->period;
    }

    /** Returns when a counter stops counting. */
    private function counterExpiresAt(int $i): int
    {
        return $this->origin + ($i + 1) * $this->width + $this->period;
    }

    public function expiresAt(Now $now): int
    {
        return $this->counters ? $this->counterExpiresAt((int) array_key_last($this->counters)) : PHP_INT_MIN;
    }

    public function trim(Now $now): void
    {
        foreach ($this->counters as $i => $_) {
            if ($this->counterExpiresAt($i) > $now->mono) {
                break;
            }
            unset($this->counters[$i]);
        }
    }

    public function used(Context $c): int
    {
        $used = array_sum($this->counters);
        if ($c->at > $c->now->mono) {
            foreach ($this->counters as $i => $count) {
                if ($this->counterExpiresAt($i) > $c->at) {
                    break;
                }
                $used -= $count;
            }
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
        return $this->counters ? $this->expiresAt($c->now) : $c->now->mono;
    }

    private function begin(int $period, int $origin): void
    {
        $this->period = $period;
        $this->width = intdiv($period + self::SUB_WINDOWS - 1, self::SUB_WINDOWS);
        $this->origin = $origin;
        $this->counters = [];
    }

    private function count(int $i, int $n): void
    {
        if (isset($this->counters[$i])) {
            $this->counters[$i] = min(Bounds::LIMIT_MAX, $this->counters[$i] + $n);
            return;
        }
        $last = array_key_last($this->counters);
        $this->counters[$i] = $n;
        if ($last !== null && $last > $i) {
            ksort($this->counters);
        }
    }

    /** Returns the sub-window that contains $t. */
    private function indexOf(int $t): int
    {
        return self::floorDiv($t - $this->origin, $this->width);
    }

    /**
     * Counts anew what was counted under another period, each counter at its last moment, or now, if it contains that, so
     * that nothing is forgotten too early.
     */
    private function recount(int $period, Now $now): void
    {
        $moments = [];
        foreach ($this->counters as $i => $count) {
            $begin = $this->origin + $i * $this->width;
            $last = $begin + $this->width - 1;
            $moments[] = [$last > $now->mono && $begin <= $now->mono ? $now->mono : $last, $count];
        }
        $this->begin($period, min($now->mono, $moments[0][0] ?? $now->mono));
        foreach ($moments as [$moment, $count]) {
            $this->count($this->indexOf($moment), $count);
        }
        $this->trim($now);
    }

    public function admit(Context $c): void
    {
        if ($this->counters && $this->period !== $c->rule->period) {
            $this->recount($c->rule->period, $c->now);
        }
        if (!$this->counters) {
            $this->begin($c->rule->period, $c->now->mono);
        }
        $i = $this->indexOf($c->at);
        $c->place = $this->origin + $i * $this->width;
        $this->count($i, $c->cost);
    }

    /** Takes $n from a counter, and removes one that reaches 0. */
    private function take(int $i, int $n): void
    {
        $left = $this->counters[$i] - $n;
        if ($left > 0) {
            $this->counters[$i] = $left;
        } else {
            unset($this->counters[$i]);
        }
    }

    /** Takes from the newest counter first. */
    public function credit(Context $c): void
    {
        $left = $c->cost;
        while ($left > 0 && $this->counters) {
            $i = (int) array_key_last($this->counters);
            $back = min($left, $this->counters[$i]);
            $this->take($i, $back);
            $left -= $back;
        }
    }

    /** Only a call that waits for its turn needs room. */
    public function bookAt(Context $c): int
    {
        $ahead = 0;
        for (end($this->counters); ($i = key($this->counters)) !== null; prev($this->counters)) {
            if ($this->origin + $i * $this->width <= $c->now->mono) {
                break;
            }
            $ahead++;
        }
        return $ahead >= Bounds::WINDOWS_MAX ? $this->counterExpiresAt((int) array_key_first($this->counters)) : PHP_INT_MIN;
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): bool
    {
        $behind = $held->place - $this->origin;
        $i = self::floorDiv($behind, $this->width);
        if ($behind !== $i * $this->width || !isset($this->counters[$i])) {
            return false;
        }
        $this->take($i, $n);
        return true;
    }
}
