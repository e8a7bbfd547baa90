<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** One of the states that a question is about, with the limit states in it that no limit matched. */
final class Group
{
    /** @var list<LimitState> */
    public array $unmatched = [];
    /** Whether there is a limit state that has not expired. */
    public readonly bool $hasStates;
    /** The bans that have escalated and are not forgotten. */
    public int $level;
    /** When they are forgotten, and when the ban ends; now: there is none. */
    public int $forgetAt;
    public int $banEnd;

    /** @param bool $ofOne one limit is about this state */
    public function __construct(public readonly State $state, private readonly Now $now, private readonly bool $ofOne)
    {
        $this->level = $state->levelAt($now);
        $this->forgetAt = $this->level > 0 ? $state->forgetAt : $now->mono;
        $this->banEnd = $state->isBanned($now) ? $state->ban->end : $now->mono;
        $this->hasStates = array_filter($state->limits, $this->isLive(...)) !== [];
    }

    private function isLive(LimitState $state): bool
    {
        return $state->expiresAt($this->now) > $this->now->mono;
    }

    /** Returns the mark that a limit writes: 0 if it has this state for itself. */
    public function markOf(Rule $rule): int
    {
        return $this->ofOne && $this->unmatched === [] ? 0 : $rule->mark;
    }

    /**
     * Matches limits with limit states, and leaves the others unmatched. One that has expired is matched, too: its limit is fresh.
     *
     * @param array<int, Rule> $rules by the index of the limit
     * @return array<int, LimitState> by the index of the limit, those that have not expired
     */
    public function match(array $rules): array
    {
        $matched = [];
        $this->unmatched = $this->state->limits;
        foreach ($rules as $i => $rule) {
            $matched += isset($matched[$i]) ? [] : $this->matchKind($rule, array_filter($rules, $rule->equals(...)));
        }
        foreach (array_diff_key($rules, $matched) as $i => $rule) {
            $isOnly = \count(array_filter($rules, static fn (Rule $other): bool => $other->algorithm === $rule->algorithm)) === 1;
            $found = $this->ofOtherKind($rule, $isOnly);
            if ($found !== null) {
                $matched[$i] = $found;
                $this->take([$found]);
            }
        }
        $this->unmatched = array_values(array_filter($this->unmatched, $this->isLive(...)));
        return array_map(fn (LimitState $state): LimitState => $state->trimmed($this->now), array_filter($matched, $this->isLive(...)));
    }

    /**
     * Matches the limits of one kind with the limit states of that kind.
     *
     * @param array<int, Rule> $equals those that equal the rule, by the index of the limit
     * @return array<int, LimitState>
     */
    private function matchKind(Rule $rule, array $equals): array
    {
        $states = array_values(array_filter($this->unmatched, $rule->isKindOf(...)));
        if (\count($equals) === 1 && \count($states) === 1) {
            $this->take($states);
            return [array_key_first($equals) => $states[0]];
        }
        $marks = array_map(static fn (Rule $rule): int => $rule->mark, $equals);
        $matched = [];
        $others = [];
        foreach ($states as $state) {
            $i = array_search($state->mark, $marks, true);
            if ($i === false) {
                $others[] = $state;
            } elseif (!isset($matched[$i])) {
                $matched[$i] = $state;
                $this->take([$state]);
            }
        }
        if ($others !== []) {
            foreach (array_diff_key($equals, $matched) as $i => $other) {
                $matched[$i] = $this->fullest($others, $other);
                $this->take($others);
            }
        }
        return $matched;
    }

    /**
     * Returns the one of which most is used; of several the one that is full again last; of several of these the first.
     *
     * @param non-empty-list<LimitState> $states
     */
    private function fullest(array $states, Rule $rule): LimitState
    {
        $fullness = function (LimitState $state) use ($rule): array {
            $trimmed = $this->isLive($state) ? $state->trimmed($this->now) : LimitState::fresh($rule);
            return [$trimmed->used(new Context($rule, $trimmed, $this->now, $this->now->mono, false, 0)), $trimmed->expiresAt($this->now)];
        };
        $fullest = $states[0];
        foreach ($states as $state) {
            $fullest = $fullness($state) > $fullness($fullest) ? $state : $fullest;
        }
        return $fullest;
    }

    /** Returns the limit state of another period or rate that is the limit's. Null: there is none. */
    private function ofOtherKind(Rule $rule, bool $isOnly): ?LimitState
    {
        $states = array_values(array_filter($this->unmatched, static fn (LimitState $state): bool => $state::ALGORITHM === $rule->algorithm));
        foreach ($states as $state) {
            if ($state->mark === $rule->mark && Mark::isOfName($rule->mark)) {
                return $state;
            }
        }
        /* A window of another period stays one until its end, and has the limit's mark after the first call. */
        return $isOnly && \count($states) === 1 && \in_array($states[0]->mark, [0, $rule->mark], true) ? $states[0] : null;
    }

    /** @param list<LimitState> $states that are no longer unmatched */
    private function take(array $states): void
    {
        $this->unmatched = array_values(array_filter($this->unmatched, static fn (LimitState $state): bool => !\in_array($state, $states, true)));
    }
}
