<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * The calendar window: a count for each window of a clock. The boundaries come with the call. They are moments of the wall
 * clock, as are the ends of the windows that are kept.
 */
final class CalendarWindow extends LimitState
{
    public const ALGORITHM = Algorithm::CALENDAR_WINDOW;

    private const UNKNOWN = PHP_INT_MAX;

    /** The number of the Period. */
    public int $period = 0;
    /** @var array<int, int> end => count, in the order of the ends */
    public array $windows = [];
    /** How many of the last windows are booked and have not come. */
    public int $ahead = 0;

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->calendar;
    }

    public function expiresAt(Now $now): int
    {
        return $this->windows ? $now->mono((int) array_key_last($this->windows)) : PHP_INT_MIN;
    }

    public function trimmed(Now $now): static
    {
        if (array_key_first($this->windows) > $now->wall) {
            return $this;
        }
        $next = clone $this;
        $next->windows = array_filter($this->windows, static fn (int $end): bool => $end > $now->wall, ARRAY_FILTER_USE_KEY);
        $next->ahead = min($this->ahead, \count($next->windows));
        return $next;
    }

    /**
     * Returns the boundaries for a turn at $t in the place of now; null when $t lies behind the windows of the call.
     *
     * @return array{int, int, int}|null
     */
    public static function boundariesAround(Rule $rule, Now $now, int $t): ?array
    {
        $wall = $t - $now->mono + $now->wall;
        [, $end, $next] = $rule->boundaries;
        if ($wall >= $next) {
            return null;
        }
        return $wall >= $end ? [$end, $next, self::UNKNOWN] : $rule->boundaries;
    }

    /**
     * Returns the ends of the clock's window that is judged, and of the one after it.
     *
     * @return array{int, int}
     */
    private static function clock(Context $c): array
    {
        [, $end, $next] = $c->rule->boundaries;
        return $c->booking || $c->now->wall < $end ? [$end, $next] : [$next, self::UNKNOWN];
    }

    /** Returns the state as the clock of this call has it: a window that was booked has come; those of a clock that was far ahead are forgotten. */
    private function settled(Context $c): static
    {
        [$end, $after] = self::clock($c);
        $ends = array_keys($this->windows);
        $come = \count($ends) - $this->ahead;
        $next = clone $this;
        $next->period = $ends ? $this->period : $c->rule->calendar;
        if ($come > 0 && $this->hasPeriodOf($c->rule) && $ends[0] > $after) {
            /* The clock was set back by a whole window or more. */
            $next->windows = \array_slice($this->windows, $come, null, true);
        } elseif (!$c->booking) {
            while ($next->ahead > 0 && $ends[\count($ends) - $next->ahead] <= $end) {
                $next->ahead--;
            }
        }
        return $next;
    }

    /** Returns the end of the window that is judged, of a settled state. It may have no count yet. */
    private function judged(Context $c): int
    {
        [$boundary] = self::clock($c);
        $come = \count($this->windows) - $this->ahead;
        foreach (array_keys($this->windows) as $i => $end) {
            if (!$c->booking) {
                /* One of another Period runs until it is over. One that has come and ends later: the clock was set back. */
                return $come > 0 || $end <= $boundary || !$this->hasPeriodOf($c->rule) ? $end : $boundary;
            }
            if ($end >= $boundary) {
                return $i < $come && $this->hasPeriodOf($c->rule) ? $end : $boundary;
            }
        }
        return $boundary;
    }

    public function used(Context $c): int
    {
        $settled = $this->settled($c);
        return $settled->windows[$settled->judged($c)] ?? 0;
    }

    public function earliest(Context $c, int $t): int
    {
        $settled = $this->settled($c);
        $judged = $settled->judged($c);
        $end = $judged === self::UNKNOWN ? self::UNKNOWN : $c->now->mono($judged);
        $isFull = static fn (int $window): bool => ($settled->windows[$window] ?? 0) + $c->cost > $c->rule->limit;
        /* A booking belongs to its window even where the wall clock was set since moments were placed. */
        if ($t < $end || ($c->booking && $t === $c->at)) {
            if (!$isFull($judged)) {
                return $t;
            }
            $t = max($t + 1, $end);
        }
        [, $after] = self::clock($c);
        return $after !== self::UNKNOWN && $judged < $after && $t < $c->now->mono($after) && $isFull($after) ? $c->now->mono($after) : $t;
    }

    public function fullAt(Context $c): int
    {
        $settled = $this->settled($c);
        $judged = $settled->judged($c);
        return isset($settled->windows[$judged]) ? $c->now->mono($judged) : $c->now->mono;
    }

    public function bookAt(Context $c): int
    {
        $settled = $this->settled($c);
        return !isset($settled->windows[$settled->judged($c)]) && \count($settled->windows) >= Bounds::WINDOWS_MAX
            ? $c->now->mono((int) array_key_first($settled->windows)) : PHP_INT_MIN;
    }

    /** Sets the count of a window of this settled state. */
    private function set(Context $c, int $end, int $count): static
    {
        if (!isset($this->windows[$end]) && $c->booking) {
            $later = \count(array_filter(array_keys($this->windows), static fn (int $kept): bool => $kept > $end));
            $this->ahead += $later <= $this->ahead ? 1 : 0;
        }
        $this->windows[$end] = $count;
        ksort($this->windows);
        return $this;
    }

    public function admit(Context $c): static
    {
        $next = $this->settled($c);
        $c->place = $next->judged($c);
        return $next->set($c, $c->place, min(Bounds::LIMIT_MAX, ($next->windows[$c->place] ?? 0) + $c->cost));
    }

    public function credit(Context $c): static
    {
        $next = $this->settled($c);
        $judged = $next->judged($c);
        return isset($next->windows[$judged]) ? $next->set($c, $judged, max(0, $next->windows[$judged] - $c->cost)) : $next;
    }

    /** A moment of a window that is over is in no window, although a booking would count it in the running one. */
    public function cancel(Context $c): ?static
    {
        $next = $this->settled($c);
        $judged = $next->judged($c);
        $count = $next->windows[$judged] ?? 0;
        return $c->rule->boundaries[1] <= $c->now->wall || $count < $c->cost ? null : $next->set($c, $judged, $count - $c->cost);
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): ?static
    {
        $next = $this->settled($c);
        return isset($next->windows[$held->place]) ? $next->set($c, $held->place, max(0, $next->windows[$held->place] - $n)) : null;
    }
}
