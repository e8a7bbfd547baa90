<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * The fixed window: it begins with the first call, ends with a whole millisecond, and has a count. Calls that wait for their turn are counted in the windows
 * that follow the current one directly, each of the same period.
 */
final class FixedWindow extends LimitState
{
    public const ALGORITHM = Algorithm::FIXED_WINDOW;

    public int $period = 0;
    /** Of the current window; 0: a fresh state. */
    public int $end = 0;
    /** @var array<int, int> end of a window => count; of a later window above 0 */
    public array $counts = [];

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->period;
    }

    /** Returns the end of the last window that has a count. */
    public function expiresAt(Now $now): int
    {
        return max([$this->end, ...array_keys($this->counts)]);
    }

    public function trimmed(Now $now): static
    {
        if ($this->end > $now->mono) {
            return $this;
        }
        $next = clone $this;
        $next->end = $this->endOf($now->mono);
        $next->counts = array_filter($this->counts, static fn (int $end): bool => $end >= $next->end, ARRAY_FILTER_USE_KEY);
        return $next;
    }

    /** Returns the end of the window that contains $t; the current one's at least. */
    private function endOf(int $t): int
    {
        return $t < $this->end ? $this->end : $this->end + (intdiv($t - $this->end, $this->period) + 1) * $this->period;
    }

    private function usedAt(int $t): int
    {
        return $this->end === 0 ? 0 : $this->counts[$this->endOf($t)] ?? 0;
    }

    public function used(Context $c): int
    {
        return $this->usedAt($c->at);
    }

    public function earliest(Context $c, int $t): int
    {
        $last = $this->expiresAt($c->now);
        while ($t < $last && $this->usedAt($t) + $c->cost > $c->rule->limit) {
            $t = $this->endOf($t);
        }
        return $t;
    }

    public function fullAt(Context $c): int
    {
        return max($c->now->mono, $this->expiresAt($c->now));
    }

    /** A window that runs keeps its period: a changed limit applies from the next window on. */
    private function begun(Context $c): static
    {
        $next = clone $this;
        if ($this->end === 0) {
            $next->period = $c->rule->period;
            $next->end = intdiv($c->now->mono + $next->period + 999, 1000) * 1000;
        }
        return $next;
    }

    private function set(int $end, int $count): static
    {
        $this->counts[$end] = $count;
        if ($count === 0 && $end !== $this->end) {
            unset($this->counts[$end]);
        }
        return $this;
    }

    public function admit(Context $c): static
    {
        $next = $this->begun($c);
        $c->place = $next->endOf($c->at);
        return $next->set($c->place, min(Bounds::LIMIT_MAX, $next->usedAt($c->at) + $c->cost));
    }

    public function credit(Context $c): static
    {
        return (clone $this)->set($this->end, max(0, ($this->counts[$this->end] ?? 0) - $c->cost));
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): ?static
    {
        return isset($this->counts[$held->place]) ? (clone $this)->set($held->place, max(0, $this->counts[$held->place] - $n)) : null;
    }

    public function bookAt(Context $c): int
    {
        $begun = $this->begun($c);
        return $c->at >= $begun->end + (Bounds::WINDOWS_MAX - 1) * $begun->period ? $begun->end : PHP_INT_MIN;
    }
}
