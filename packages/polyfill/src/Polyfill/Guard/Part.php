<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\Held;
use FrequencyLimit\Polyfill\Core\Left;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Question;

/**
 * The part of a question about several keys that is about one of them. A peek asks for what is left as it is, and not after a call that
 * another part may refuse.
 */
final class Part
{
    public readonly Question $question;
    /** @var list<int> the indexes of its limits in the whole question */
    private readonly array $limits;

    /** @param bool $bans with the bans of its limits */
    public function __construct(private readonly Question $whole, public readonly int $group, int $op, bool $bans)
    {
        $limits = [];
        $rules = [];
        foreach ($whole->rules as $i => $rule) {
            if ($rule->identity === $group) {
                $limits[] = $i;
                $rules[] = $rule = clone $rule;
                $rule->identity = 0;
                if (!$bans) {
                    $rule->banKind = BanKind::NONE;
                    $rule->steps = null;
                }
            }
        }
        $this->limits = $limits;
        $q = clone $whole;
        $q->op = $op;
        $q->asIs = $op === Op::PEEK;
        $q->rules = $rules;
        $q->costs = $whole->costs === null ? null : array_map(static fn (int $i): int => $whole->costs[$i], $limits);
        $q->held = $whole->held ? array_map(static fn (int $i): Held => $whole->held[$i], $limits) : [];
        $this->question = $q;
    }

    /** Returns the answer with its deciding limit as the whole question names it. */
    public function named(Answer $answer): Answer
    {
        $answer->index = $this->limits[$answer->index];
        return $answer;
    }

    /**
     * Notes what the part's limits have left.
     *
     * @param array<int, Left> $left by the limits of the whole question
     */
    public function keepLeft(array &$left, Answer $answer): void
    {
        foreach ($answer->left as $i => $one) {
            $left[$this->limits[$i]] = $one;
        }
    }

    /** Returns whether all limits are skipped. */
    public function isSkipped(): bool
    {
        return $this->question->costs !== null && array_sum($this->question->costs) === 0;
    }

    public function hasBan(): bool
    {
        foreach ($this->limits as $i) {
            if ($this->whole->rules[$i]->banKind !== BanKind::NONE) {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds what the part holds to what the whole question holds.
     *
     * @param array<int, Held> $held by limit
     * @param list<Held>       $own
     */
    public function keepHeld(array &$held, array $own): void
    {
        foreach ($own as $i => $one) {
            $held[$this->limits[$i]] = $one;
        }
    }
}
