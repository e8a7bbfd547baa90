<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The concurrent limit: places, each of which is held until it is released, or its end. */
final class Concurrent extends LimitState
{
    public const ALGORITHM = Algorithm::CONCURRENT;

    public int $period = 0;
    /** @var array<int, array{int, int}> by the permit's number: count and end */
    public array $places = [];

    public function hasPeriodOf(Rule $rule): bool
    {
        return $this->period === $rule->period;
    }

    public function expiresAt(Now $now): int
    {
        return $this->places ? max(array_column($this->places, 1)) : PHP_INT_MIN;
    }

    public function trimmed(Now $now): static
    {
        $next = clone $this;
        $next->places = array_filter($this->places, static fn (array $place): bool => $place[1] > $now->mono);
        return $next;
    }

    public function used(Context $c): int
    {
        $used = 0;
        foreach ($this->places as [$count, $end]) {
            $used += $end > $c->at ? $count : 0;
        }
        return $used;
    }

    public function earliest(Context $c, int $t): int
    {
        $used = $this->used($c);
        if ($used + $c->cost <= $c->rule->limit) {
            return $t;
        }
        $places = $this->places;
        usort($places, static fn (array $a, array $b): int => $a[1] <=> $b[1]);
        foreach ($places as [$count, $end]) {
            if ($used + $c->cost <= $c->rule->limit) {
                break;
            }
            if ($end > $c->at) {
                $used -= $count;
                $t = max($t, $end);
            }
        }
        return $t;
    }

    public function fullAt(Context $c): int
    {
        return max($c->now->mono, $this->expiresAt($c->now));
    }

    /** The number of a peek is 0: it keeps no place. */
    public function admit(Context $c): static
    {
        $next = clone $this;
        $next->period = $c->rule->period;
        $next->places[$c->number] = [$c->cost, $c->at + $next->period];
        $c->place = $c->number;
        return $next;
    }

    /** A gift to what was counted: a place that is held stays. */
    public function credit(Context $c): static
    {
        return $this;
    }

    public function giveBack(Context $c, Held $held, int $n, bool $all): ?static
    {
        $next = clone $this;
        unset($next->places[$held->tag]);
        return isset($this->places[$held->tag]) ? $next : null;
    }

    public function renew(Held $held, int $end): ?static
    {
        if (!isset($this->places[$held->tag])) {
            return null;
        }
        $next = clone $this;
        $next->places[$held->tag][1] = $end;
        return $next;
    }
}
