<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/**
 * One question evaluated against one state: pairs each limit with its limit state, or a fresh one, and lists the limit states
 * that no limit matched.
 */
final class Evaluation
{
    /** @var list<Context> one for each limit */
    public array $contexts = [];
    /** @var list<LimitState> */
    public array $unmatched = [];
    /** Whether there is a limit state that has not expired. */
    public readonly bool $hasStates;
    /** The bans that have escalated and are not forgotten. */
    public readonly int $level;

    /** @param int $at the moment that is judged, on the monotonic clock */
    public function __construct(
        public readonly Question $question,
        public readonly State $state,
        public readonly Now $now,
        int $at,
    ) {
        $live = [];
        foreach ($state->limits as $limitState) {
            if ($limitState->expiresAt($now) > $now->mono) {
                $limitState->trim($now);
                $live[] = $limitState;
            }
        }
        $this->hasStates = $live !== [];
        $this->level = $state->levelAt($now);
        $matched = $live ? $this->match($live) : [];
        $booking = Op::isBooking($question->op);
        foreach ($question->rules as $i => $rule) {
            $this->contexts[] = new Context($rule, $matched[$i] ?? LimitState::fresh($rule), $now, $at, $booking, $question->cost);
        }
    }

    /**
     * @param list<LimitState> $free
     * @return array<int, LimitState> by the index of the limit
     */
    private function match(array $free): array
    {
        $matched = [];
        foreach ([true, false] as $samePeriod) {
            foreach ($this->question->rules as $i => $rule) {
                if (isset($matched[$i])) {
                    continue;
                }
                foreach ($free as $j => $limitState) {
                    if ($limitState::ALGORITHM === $rule->algorithm && (!$samePeriod || $limitState->hasPeriodOf($rule))) {
                        $matched[$i] = $limitState;
                        unset($free[$j]);
                        break;
                    }
                }
            }
            if (!$free) {
                break;
            }
        }
        $this->unmatched = array_values($free);
        return $matched;
    }

    /** Makes copies of the limit states, so that changes of them change no state. */
    public function detach(): void
    {
        foreach ($this->contexts as $context) {
            $context->state = clone $context->state;
        }
    }

    public function setCost(int $cost): void
    {
        foreach ($this->contexts as $context) {
            $context->cost = $cost;
        }
    }

    /** Returns the first moment from $t on at which all limits would admit the cost. */
    public function earliest(int $t): int
    {
        if (\count($this->contexts) === 1) {
            $context = $this->contexts[0];
            do {
                $before = $t;
                $t = $context->state->earliest($context, $t);
            } while ($t !== $before);
            return $t;
        }
        do {
            $before = $t;
            foreach ($this->contexts as $context) {
                $t = $context->state->earliest($context, $t);
            }
        } while ($t !== $before);
        return $t;
    }

    /** Writes the limit states into the state. */
    public function store(): void
    {
        $states = [];
        foreach ($this->contexts as $context) {
            $states[] = $context->state;
        }
        $this->state->set($states, $this->unmatched, $this->now);
    }
}
