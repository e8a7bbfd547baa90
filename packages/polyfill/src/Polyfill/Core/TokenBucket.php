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

    private int $rate = 1;
    private int $period = 1;
    private int $tatUs = 0;
    private int $tatFrac = 0;
    private int $takes = 0;
    /** @var list<array{int, int}> number of a take or a give-back, and a backlog in us; both increase */
    private array $marks = [];

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

    private function advance(int $permits): void
    {
        [$us, $frac] = $this->span($permits);
        $this->tatUs += $us;
        $this->tatFrac += $frac;
        if ($this->tatFrac >= $this->rate) {
            $this->tatUs++;
            $this->tatFrac -= $this->rate;
        }
    }

    /** Moves the TAT back, down to now. */
    private function moveBack(int $now, int $us, int $frac): void
    {
        $this->tatUs -= $us;
        $this->tatFrac -= $frac;
        if ($this->tatFrac < 0) {
            $this->tatUs--;
            $this->tatFrac += $this->rate;
        }
        if ($this->tatUs < $now) {
            $this->tatUs = $now;
            $this->tatFrac = 0;
        }
    }

    /** Takes the limit's rate and period, with as many permits missing as before. */
    private function convert(Rule $rule, int $now, int $latest): void
    {
        $missing = $this->missing($now);
        $this->rate = $rule->rate;
        $this->period = $rule->period;
        $this->tatUs = $now;
        $this->tatFrac = 0;
        $this->takes = 0;
        $this->marks = [];
        $this->advance($missing);
        if ($this->tatUs >= $latest) {
            $this->tatUs = $latest;
            $this->tatFrac = 0;
        }
    }

    public function admit(Context $c): void
    {
        $now = $c->now->mono;
        $latest = $now + Bounds::PERIOD_MAX_US;
        if (!$this->hasPeriodOf($c->rule)) {
            $this->convert($c->rule, $now, $latest);
        }
        if ($c->tag !== 0) {
            $this->mark(max(0, $this->tatUs - $c->at));
            $c->place = $this->takes;
        }
        if ($this->tatUs < $c->at) {
            $c->moved = $c->at - $this->expiresAt($c->now);
            $this->tatUs = $c->at;
            $this->tatFrac = 0;
        }
        $us = $this->tatUs;
        $frac = $this->tatFrac;
        $this->advance($c->cost);
        if ($c->debt && $this->tatUs >= $latest) {
            [$this->tatUs, $this->tatFrac] = $us >= $latest ? [$us, $frac] : [$latest, 0];
        }
    }

    public function credit(Context $c): void
    {
        [$us, $frac] = $this->span($c->cost);
        $this->moveBack($c->now->mono, $us, $frac);
        if ($this->tag !== 0) {
            $this->mark($this->tatUs - $c->now->mono);
        }
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
    public function giveBack(Context $c, Held $held, int $n, bool $all): bool
    {
        [$us, $frac] = $this->span($n);
        $us += $all ? $held->moved : 0;
        $lowest = PHP_INT_MAX;
        foreach ($this->marks as [$number, $backlog]) {
            if ($number > $held->place) {
                $lowest = $backlog;
                break;
            }
        }
        if ($us >= $lowest) {
            $us = $lowest;
            $frac = 0;
        }
        $tatUs = $this->tatUs;
        $tatFrac = $this->tatFrac;
        $this->moveBack($c->now->mono, $us, $frac);
        $this->lowerMarks($held->place, $tatUs - $this->tatUs + ($tatFrac > $this->tatFrac ? 1 : 0));
        $this->mark($this->tatUs - $c->now->mono);
        return true;
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
