<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * The calendar window. The boundaries come with the call. They are moments of the wall clock, as are the ends of the windows
 * that are kept.
 */
final class CalendarWindow extends LimitState
{
    public const ALGORITHM = Algorithm::CALENDAR_WINDOW;

    private const UNKNOWN = PHP_INT_MAX;

    private int $period = 0;
    /** @var array<int, int> end => count, in the order of the ends */
    private array $windows = [];
    /** How many of the last windows are booked and have not come. */
    private int $ahead = 0;

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->calendar;
    }

    public function expiresAt(Now $now): int
    {
        return $this->windows ? $now->mono((int) array_key_last($this->windows)) : PHP_INT_MIN;
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

    /** Returns the windows as the clock of this call has them, and the one that is judged. */
    private function view(Context $c): CalendarView
    {
        [, $boundary, $next] = $c->rule->boundaries;
        if (!$c->booking && $c->now->wall >= $boundary) {
            $boundary = $next;
            $next = self::UNKNOWN;
        }
        $windows = $this->windows;
        foreach ($windows as $end => $_) {
            if ($end > $c->now->wall) {
                break;
            }
            unset($windows[$end]);
        }
        $ahead = min($this->ahead, \count($windows));
        if ($ahead < \count($windows) && $this->period === $c->rule->calendar && array_key_first($windows) > $next) {
            /* The clock was set back by a whole window or more. */
            $windows = \array_slice($windows, \count($windows) - $ahead, null, true);
        }
        $period = $windows ? $this->period : $c->rule->calendar;
        $end = $windows ? $this->judgedEnd($c, $windows, $ahead, $boundary) : null;
        return new CalendarView($windows, $ahead, $period, $end ?? $boundary, $end !== null, $end === null ? 0 : $windows[$end]);
    }

    /**
     * Returns the end of the kept window that is judged, or null.
     *
     * @param array<int, int> $windows
     */
    private function judgedEnd(Context $c, array $windows, int &$ahead, int $boundary): ?int
    {
        $n = \count($windows);
        $ends = array_keys($windows);
        if ($c->booking) {
            foreach ($ends as $i => $end) {
                if ($end >= $boundary) {
                    return $end === $boundary || ($i < $n - $ahead && $this->period === $c->rule->calendar) ? $end : null;
                }
            }
            return null;
        }
        while ($ahead > 0 && $ends[$n - $ahead] <= $boundary) {
            $ahead--;
        }
        /* A window of another Period runs until it is over, whatever its end is. */
        return $ahead < $n || $ends[0] <= $boundary || $this->period !== $c->rule->calendar ? $ends[0] : null;
    }

    private static function isFull(Context $c, int $count): bool
    {
        return $count + $c->cost > $c->rule->limit;
    }

    public function used(Context $c): int
    {
        return $this->view($c)->count;
    }

    public function earliest(Context $c, int $t): int
    {
        $view = $this->view($c);
        $end = $view->end === self::UNKNOWN ? self::UNKNOWN : $c->now->mono($view->end);
        /* A booking belongs to its window even where the wall clock was set since moments were placed. */
        if ($t < $end || ($c->booking && $t === $c->at)) {
            if (!self::isFull($c, $view->count)) {
                return $t;
            }
            $t = $end > $t ? $end : $t + 1;
        }
        $next = $c->rule->boundaries[2];
        if ($next === self::UNKNOWN || $view->end >= $next || $t >= $c->now->mono($next)) {
            return $t;
        }
        $isJudged = $view->exists && $view->end === $next;
        return !$isJudged && self::isFull($c, $view->windows[$next] ?? 0) && isset($view->windows[$next])
            ? $c->now->mono($next) : $t;
    }

    public function fullAt(Context $c): int
    {
        $view = $this->view($c);
        return $view->exists ? $c->now->mono($view->end) : $c->now->mono;
    }

    public function bookAt(Context $c): int
    {
        $view = $this->view($c);
        return !$view->exists && \count($view->windows) >= Bounds::WINDOWS_MAX
            ? $c->now->mono((int) array_key_first($view->windows)) : PHP_INT_MIN;
    }

    private function put(Context $c, CalendarView $view, int $count): void
    {
        $windows = $view->windows;
        $ahead = $view->ahead;
        if (!$view->exists) {
            $behind = \count(array_filter(array_keys($windows), static fn (int $end): bool => $end > $view->end));
            $ahead += $c->booking && $behind <= $ahead ? 1 : 0;
        }
        $windows[$view->end] = $count;
        ksort($windows);
        $this->keep($view, $windows, $ahead);
    }

    /** @param array<int, int> $windows */
    private function keep(CalendarView $view, array $windows, int $ahead): void
    {
        $this->period = $view->period;
        $this->windows = $windows;
        $this->ahead = $ahead;
    }

    public function admit(Context $c): void
    {
        $view = $this->view($c);
        $c->place = $view->end;
        $this->put($c, $view, min(Bounds::LIMIT_MAX, $view->count + $c->cost));
    }

    public function credit(Context $c): void
    {
        $view = $this->view($c);
        if ($view->exists) {
            $this->put($c, $view, max(0, $view->count - $c->cost));
        } else {
            $this->keep($view, $view->windows, $view->ahead);
        }
    }

    /** A moment of a window that is over is in no window, although a booking would count it in the running one. */
    public function cancel(Context $c): bool
    {
        $view = $this->view($c);
        if ($c->rule->boundaries[1] <= $c->now->wall || !$view->exists || $view->count < $c->cost) {
            return false;
        }
        $this->put($c, $view, $view->count - $c->cost);
        return true;
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): bool
    {
        $view = $this->view($c);
        if (!isset($view->windows[$held->place])) {
            return false;
        }
        $windows = $view->windows;
        $windows[$held->place] = max(0, $windows[$held->place] - $n);
        $this->keep($view, $windows, $view->ahead);
        return true;
    }
}
