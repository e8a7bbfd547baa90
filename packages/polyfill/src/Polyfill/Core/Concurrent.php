<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The concurrent limit: places, each of which is held until it is released, or its end. */
final class Concurrent extends LimitState
{
    public const ALGORITHM = Algorithm::CONCURRENT;

    private int $period = 0;
    /** @var array<int, array{int, int}> by the permit's number: count and end */
    private array $places = [];
    /** The sum of the counts. */
    private int $sum = 0;
    /** The first and the last end of a place. */
    private int $firstEnd = PHP_INT_MAX;
    private int $lastEnd = PHP_INT_MIN;

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->period;
    }

    public function expiresAt(Now $now): int
    {
        return $this->lastEnd;
    }

    public function trim(Now $now): void
    {
        if ($this->firstEnd > $now->mono) {
            return;
        }
        foreach ($this->places as $number => [, $end]) {
            if ($end <= $now->mono) {
                unset($this->places[$number]);
            }
        }
        $this->sumUp();
    }

    private function sumUp(): void
    {
        $this->sum = 0;
        $this->firstEnd = PHP_INT_MAX;
        $this->lastEnd = PHP_INT_MIN;
        foreach ($this->places as [$count, $end]) {
            $this->sum += $count;
            $this->firstEnd = min($this->firstEnd, $end);
            $this->lastEnd = max($this->lastEnd, $end);
        }
    }

    public function used(Context $c): int
    {
        if ($c->at === $c->now->mono) {
            return $this->sum;
        }
        $used = 0;
        foreach ($this->places as [$count, $end]) {
            $used += $end > $c->at ? $count : 0;
        }
        return $used;
    }

    /** Returns when enough of the places end, if none is released. */
    public function earliest(Context $c, int $t): int
    {
        $used = $this->used($c);
        if ($used + $c->cost <= $c->rule->limit) {
            return $t;
        }
        $places = array_filter($this->places, static fn (array $place): bool => $place[1] > $c->at);
        usort($places, static fn (array $a, array $b): int => $a[1] <=> $b[1]);
        foreach ($places as [$count, $end]) {
            if ($used + $c->cost <= $c->rule->limit) {
                break;
            }
            $used -= $count;
            $t = max($t, $end);
        }
        return $t;
    }

    public function fullAt(Context $c): int
    {
        return $this->places ? $this->lastEnd : $c->now->mono;
    }

    /** The number of a peek is 0: it keeps no place. */
    public function admit(Context $c): void
    {
        $this->period = $c->rule->period;
        $this->put($c->number, $c->cost, $c->at + $this->period);
        $c->place = $c->number;
    }

    private function put(int $number, int $count, int $end): void
    {
        $this->places[$number] = [$count, $end];
        $this->sum += $count;
        $this->firstEnd = min($this->firstEnd, $end);
        $this->lastEnd = max($this->lastEnd, $end);
    }

    /** A gift to what was counted: a place that is held stays. */
    public function credit(Context $c): void
    {
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): bool
    {
        return $this->release($held->tag) !== null;
    }

    /** Frees a permit's place. Returns its count, or null. */
    private function release(int $number): ?int
    {
        if (!isset($this->places[$number])) {
            return null;
        }
        [$count, $end] = $this->places[$number];
        unset($this->places[$number]);
        $this->sum -= $count;
        if ($end === $this->firstEnd || $end === $this->lastEnd) {
            $this->sumUp();
        }
        return $count;
    }

    public function renew(Held $held, int $end): bool
    {
        $count = $this->release($held->tag);
        if ($count === null) {
            return false;
        }
        $this->put($held->tag, $count, $end);
        return true;
    }
}
