<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * One question evaluated against its states: pairs each limit with its limit state, or a fresh one, and lists the limit states
 * that no limit matched.
 */
final class Evaluation
{
    /** @var list<Context> one for each limit */
    public array $contexts = [];
    /** @var list<Group> one for each state */
    public array $groups = [];

    /**
     * @param list<State> $states one, or one for each identity
     * @param int         $at     the moment that is judged, on the monotonic clock
     */
    public function __construct(public readonly Question $question, array $states, public readonly Now $now, int $at)
    {
        $matched = [];
        foreach ($states as $g => $state) {
            $rules = array_filter($question->rules, static fn (Rule $rule): bool => $rule->identity === $g);
            $this->groups[] = $group = new Group($state, $now, \count($rules) === 1);
            $matched += $group->match($rules);
        }
        $booking = Op::isBooking($question->op);
        foreach ($question->rules as $i => $rule) {
            $this->contexts[] = new Context($rule, $matched[$i] ?? LimitState::fresh($rule), $now, $at, $booking, $question->costOf($i));
        }
    }

    /** @return list<Left> what each limit has left, with the bans and the levels */
    public function left(): array
    {
        $left = [];
        $now = $this->now->mono;
        foreach ($this->contexts as $i => $c) {
            $group = $this->groupOf($i);
            $left[] = new Left($c->remaining(), max(0, $c->state->fullAt($c) - $now), $group->banEnd - $now, $group->level, $group->forgetAt - $now);
        }
        return $left;
    }

    public function groupOf(int $limit): Group
    {
        return $this->groups[$this->question->rules[$limit]->identity];
    }

    /** Lets all limits have a cost, or, of costs for each limit, their own. */
    public function setCost(int $cost, int $leave): void
    {
        foreach ($this->contexts as $i => $context) {
            $context->cost = ($this->question->costs[$i] ?? $cost) + $leave;
        }
    }

    /** Returns the first moment from $t on at which a limit would admit its cost. */
    public function earliestOf(int $limit, int $t): int
    {
        $context = $this->contexts[$limit];
        return $this->question->costs !== null && $this->question->skips($limit) ? $t : $context->state->earliest($context, $t);
    }

    /** Returns the first moment from $t on at which all limits would admit their costs. */
    public function earliest(int $t): int
    {
        do {
            $before = $t;
            foreach ($this->contexts as $i => $_) {
                $t = $this->earliestOf($i, $t);
            }
        } while ($t !== $before);
        return $t;
    }

    /** Writes the limit states into the states of all groups. */
    public function store(): void
    {
        foreach ($this->groups as $g => $_) {
            $this->storeGroup($g);
        }
    }

    public function storeGroup(int $g): void
    {
        $states = [];
        foreach ($this->contexts as $i => $context) {
            if ($this->question->rules[$i]->identity === $g) {
                $states[] = $marked = clone $context->state;
                $marked->mark = $this->groups[$g]->markOf($context->rule);
            }
        }
        $group = $this->groups[$g];
        $group->state->set($states, $group->unmatched, $this->now);
    }
}
