<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * Lets windows admit what the last ones left unused, beside their limits. It raises the numbers of the limits with carry(), and
 * has the parts of the states behind the decision. A question without such a limit drops them.
 */
final class CarryOver
{
    /** @var array<int, CarryPart|null> by limit: the part that the state has */
    private array $parts = [];
    /** @var array<int, int> by limit: the end of the window that runs, on its own clock; 0: none runs */
    private array $ends = [];
    /** @var array<int, int> by limit: what was carried into the window that runs, or into one that begins now */
    private array $carried = [];
    /** Whether the question brings the boundaries of calendar windows, and is about now. */
    private readonly bool $isKnown;

    public function __construct(private readonly Evaluation $ev)
    {
        $op = $ev->question->op;
        $this->isKnown = $op === Op::CONSUME || $op === Op::PEEK || $op === Op::ACQUIRE || $op === Op::CREDIT || $op === Op::SETTLE;
        $taken = [];
        foreach ($ev->question->rules as $i => $rule) {
            if ($rule->carry > 0) {
                $this->parts[$i] = $this->take($rule, $taken);
                $this->isKnown && $this->raise($i, $rule);
            }
        }
    }

    /**
     * Takes the first free part of the limit's algorithm and period.
     *
     * @param array<string, true> $taken
     */
    private function take(Rule $rule, array &$taken): ?CarryPart
    {
        foreach ($this->ev->groups[$rule->identity]->state->carries as $j => $part) {
            $place = "$rule->identity.$j";
            if (!isset($taken[$place]) && $part->algorithm === $rule->algorithm && $part->period === $rule->periodKey()
                && $part->keptUntil($this->ev->now) > $this->ev->now->mono) {
                $taken[$place] = true;
                return $part;
            }
        }
        return null;
    }

    private function raise(int $i, Rule $rule): void
    {
        $part = $this->parts[$i];
        $end = $this->ends[$i] = $this->runningEnd($i);
        $carried = 0;
        if ($part !== null && $end !== 0) {
            $carried = $part->end === $end ? $part->carried : 0;
        } elseif ($part !== null && $this->isLast($rule, $part)) {
            $carried = min($part->left, $rule->carry);
        }
        $this->carried[$i] = $carried;
        if ($carried > 0) {
            $raised = clone $rule;
            $raised->limit += min($carried, $rule->carry);
            $this->ev->contexts[$i]->rule = $raised;
        }
    }

    /** Returns the end of a limit's window on its own clock; 0: none runs. */
    private function runningEnd(int $i): int
    {
        $c = $this->ev->contexts[$i];
        $end = $c->state->fullAt($c);
        return $end > $c->now->mono ? $end - $c->now->mono + CarryPart::ownNow($c->rule->algorithm, $c->now) : 0;
    }

    /**
     * Returns the begin and the end of the clock's window.
     *
     * @return array{int, int}
     */
    private function clockWindow(Rule $rule): array
    {
        [$begin, $end, $next] = $rule->boundaries;
        return $this->ev->now->wall >= $end ? [$end, $next] : [$begin, $end];
    }

    /** Returns whether the window of a part is the one before the window that would begin now. */
    private function isLast(Rule $rule, CarryPart $part): bool
    {
        $now = CarryPart::ownNow($rule->algorithm, $this->ev->now);
        if ($part->end > $now) {
            return false;
        }
        return $rule->algorithm === Algorithm::CALENDAR_WINDOW ? $this->clockWindow($rule)[0] === $part->end
            : $now < $part->end + $rule->period;
    }

    /** Returns until when a part of a window with this end is kept: the next window is shorter than two of the clock's. */
    private function keptUntil(Rule $rule, int $end): int
    {
        if ($rule->algorithm !== Algorithm::CALENDAR_WINDOW) {
            return $end + $rule->period;
        }
        [$begin, $clockEnd] = $this->clockWindow($rule);
        return $end + 2 * ($clockEnd - $begin);
    }

    /**
     * Returns the parts of a group's state behind the decision.
     *
     * @return list<CarryPart>
     */
    public function next(int $group): array
    {
        $parts = [];
        foreach ($this->parts as $i => $part) {
            if ($this->ev->question->rules[$i]->identity !== $group) {
                continue;
            }
            $next = $this->nextOf($i, $part);
            if ($next !== null && $next->keptUntil($this->ev->now) > $this->ev->now->mono) {
                $parts[] = $next;
            }
        }
        return $parts;
    }

    private function nextOf(int $i, ?CarryPart $part): ?CarryPart
    {
        $rule = $this->ev->question->rules[$i];
        $end = $this->isKnown ? $this->runningEnd($i) : 0;
        if ($end === 0) {
            return !$this->isKnown || $this->ends[$i] === 0 ? $part : null;
        }
        $c = $this->ev->contexts[$i];
        $left = min(Bounds::LIMIT_MAX, $c->remaining());
        return new CarryPart($rule->algorithm, $rule->periodKey(), $end, $this->carried[$i], $left, $this->keptUntil($rule, $end));
    }
}
