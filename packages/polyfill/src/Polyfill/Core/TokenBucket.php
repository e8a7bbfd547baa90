<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * The token bucket, by the generic cell rate algorithm (GCRA). Its state is the theoretical arrival time (TAT), the moment at
 * which the bucket will be full: tatUs + tatFrac / rate, exactly. A state with a tag also numbers its takes, and keeps marks.
 */
final class TokenBucket extends LimitState
{
    public const ALGORITHM = Algorithm::TOKEN_BUCKET;

    private const MARKS_MAX = 8;

    public int $rate = 1;
    public int $period = 1;
    public int $tatUs = 0;
    public int $tatFrac = 0;
    public int $takes = 0;
    /** @var list<array{int, int}> number of a take or a give-back, and a backlog in us; both increase */
    public array $marks = [];

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->rate === $rule->rate && $this->period === $rule->period;
    }

    public function expiresAt(Now $now): int
    {
        return $this->tatUs + ($this->tatFrac > 0 ? 1 : 0);
    }

    /** Returns the permits that are missing at $t, a part of one as a whole. */
    private function missing(int $t): int
    {
        if ($this->tatUs < $t) {
            return 0;
        }
        [$whole, $rest] = Arithmetic::mulDiv($this->tatUs - $t, $this->rate, $this->period);
        return $whole >= Bounds::LIMIT_MAX ? Bounds::LIMIT_MAX
            : min(Bounds::LIMIT_MAX, $whole + intdiv($rest + $this->tatFrac + $this->period - 1, $this->period));
    }

    public function used(Context $c): int
    {
        return $this->missing($c->at);
    }

    /** Returns when the backlog is no more than limit - cost permits. */
    public function earliest(Context $c, int $t): int
    {
        [$us, $frac] = Arithmetic::mulDiv($this->period, $c->rule->limit - $c->cost, $this->rate);
        return max($t, $this->tatUs - $us + ($this->tatFrac > $frac ? 1 : 0));
    }

    public function fullAt(Context $c): int
    {
        return max($c->now->mono, $this->expiresAt($c->now));
    }

    /**
     * Returns the time that so many permits take: whole microseconds, and a part in 1 / rate. Twenty years stand for more.
     *
     * @return array{int, int}
     */
    private function span(int $permits): array
    {
        if ($permits / $this->rate * $this->period > 2 * Bounds::PERIOD_MAX_US) {
            return [2 * Bounds::PERIOD_MAX_US, 0];
        }
        return Arithmetic::mulDiv($this->period, $permits, $this->rate);
    }

    /** Moves the TAT by a time, ahead (1) or back (-1). */
    private function move(int $us, int $frac, int $sign): void
    {
        $this->tatUs += $sign * $us + self::floorDiv($this->tatFrac + $sign * $frac, $this->rate);
        $this->tatFrac = ($this->tatFrac + $sign * $frac + $this->rate) % $this->rate;
    }

    /** Moves the TAT back, down to now. */
    private function moveBack(int $now, int $us, int $frac): void
    {
        $this->move($us, $frac, -1);
        if ($this->tatUs < $now) {
            [$this->tatUs, $this->tatFrac] = [$now, 0];
        }
    }

    /** Returns a state with the limit's rate and period, and with as many permits missing as before. */
    private function converted(Context $c, int $latest): static
    {
        $next = new self();
        $next->rate = $c->rule->rate;
        $next->period = $c->rule->period;
        $next->tatUs = $c->now->mono;
        $next->move(...[...$next->span($this->missing($c->now->mono)), 1]);
        if ($next->tatUs >= $latest) {
            [$next->tatUs, $next->tatFrac] = [$latest, 0];
        }
        return $next;
    }

    public function admit(Context $c): static
    {
        $latest = $c->now->mono + Bounds::PERIOD_MAX_US;
        $next = $this->hasPeriodOf($c->rule) ? clone $this : $this->converted($c, $latest);
        if ($c->tag !== 0) {
            $next->mark(max(0, $next->tatUs - $c->at));
            $c->place = $next->takes;
        }
        if ($next->tatUs < $c->at) {
            $c->moved = $c->at - $next->expiresAt($c->now);
            [$next->tatUs, $next->tatFrac] = [$c->at, 0];
        }
        $before = [$next->tatUs, $next->tatFrac];
        $next->move(...[...$next->span($c->cost), 1]);
        if ($c->debt && $next->tatUs >= $latest) {
            [$next->tatUs, $next->tatFrac] = max($before, [$latest, 0]);
        }
        return $next;
    }

    public function credit(Context $c): static
    {
        $next = clone $this;
        $next->moveBack($c->now->mono, ...$this->span($c->cost));
        if ($this->tag !== 0) {
            $next->mark($next->tatUs - $c->now->mono);
        }
        return $next;
    }

    /** Numbers a take, which found this backlog, or a give-back, which left it. */
    private function mark(int $backlog): void
    {
        $this->takes++;
        $this->dropMarksFrom($backlog);
        if (\count($this->marks) === self::MARKS_MAX) {
            $this->marks[self::MARKS_MAX - 1][0] = $this->takes;
        } else {
            $this->marks[] = [$this->takes, $backlog];
        }
    }

    /** Drops the last marks whose backlog is not below this one. */
    private function dropMarksFrom(int $backlog): void
    {
        while ($this->marks && $this->marks[\count($this->marks) - 1][1] >= $backlog) {
            array_pop($this->marks);
        }
    }

    /** Permits that were refilled for everybody since the permit's take do not go back a second time. */
    public function giveBack(Context $c, Held $held, int $n, bool $all): static
    {
        [$us, $frac] = $this->span($n);
        $back = [$us + ($all ? $held->moved : 0), $frac];
        foreach ($this->marks as [$number, $backlog]) {
            if ($number > $held->place) {
                $back = min($back, [$backlog, 0]);
                break;
            }
        }
        $next = clone $this;
        $next->moveBack($c->now->mono, ...$back);
        $next->lowerMarks($held->place, $this->tatUs - $next->tatUs + ($this->tatFrac > $next->tatFrac ? 1 : 0));
        $next->mark($next->tatUs - $c->now->mono);
        return $next;
    }

    /** Lowers the backlogs that takes after this one found by what it gives back: they would not have found that. */
    private function lowerMarks(int $take, int $us): void
    {
        $marks = $this->marks;
        $this->marks = [];
        foreach ($marks as [$number, $backlog]) {
            $backlog = $number > $take ? max(0, $backlog - $us) : $backlog;
            $this->dropMarksFrom($backlog);
            $this->marks[] = [$number, $backlog];
        }
    }
}
