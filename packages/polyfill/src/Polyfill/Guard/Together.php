<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Held;
use FrequencyLimit\Polyfill\Core\Left;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Key;

/**
 * Decides an acquire or a peek about keys on several servers of a cluster: each state in one atomic step, in turn. What was taken
 * goes back exactly when a later state refuses. docs/protocols.md of ratelimit has the steps.
 */
final class Together
{
    /** So often a call takes its parts anew, after another one gave back what had refused it. */
    private const ROUNDS_MAX = 16;

    /** @var array<int, Held> by limit: what the parts took */
    private array $held = [];
    /** @var array<int, Left> by limit: what the last answers of the parts said */
    private array $left = [];

    /** @param non-empty-list<Key> $keys by Rule::$identity */
    public function __construct(private readonly Store $store, private readonly array $keys, private readonly Question $q)
    {
    }

    /**
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    public function decide(): Answer
    {
        $answer = $this->try();
        ksort($this->left);
        $answer->left = array_values($this->left);
        return $answer;
    }

    /**
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    private function try(): Answer
    {
        if ($this->q->op === Op::PEEK) {
            return $this->judge();
        }
        for ($round = 1;; $round++) {
            $answer = $this->take();
            if ($answer->accepted) {
                ksort($this->held);
                $answer->held = array_values($this->held);
                return $answer;
            }
            $judged = $this->judge();
            if (!$judged->accepted) {
                return $judged;
            }
            if ($round === self::ROUNDS_MAX) {
                $answer->granted = 0;
                return $answer;
            }
        }
    }

    private function part(int $group, int $op, bool $bans = false): Part
    {
        return new Part($this->q, $group, $op, $bans);
    }

    /**
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    private function ask(Part $part): Answer
    {
        $answer = $this->store->ask($this->keys[$part->group], $part->question);
        $part->keepLeft($this->left, $answer);
        return $part->named($answer);
    }

    private static function isTighter(Answer $answer, Answer $than): bool
    {
        return $answer->remaining < $than->remaining || ($answer->remaining === $than->remaining && $answer->index < $than->index);
    }

    private function granted(Answer $answer): Answer
    {
        $answer->granted = $this->q->costOf($answer->index);
        $answer->wait = 0;
        $answer->found = false;
        return $answer;
    }

    /** Takes all parts in turn, or none. Returns the answer of all, or of the part that refuses. */
    private function take(): Answer
    {
        foreach ($this->keys as $group => $_) {
            if ($group > 0) {
                $answer = $this->ask($this->part($group, Op::PEEK));
                if (!$answer->accepted) {
                    return $answer;
                }
            }
        }
        $tightest = null;
        $next = 0;
        $this->held = [];
        foreach ($this->keys as $group => $_) {
            $part = $this->part($group, Op::ACQUIRE);
            try {
                $answer = $this->ask($part);
            } catch (StoreFailure|StaleBoundaries $e) {
                $this->undo($group);
                throw $e;
            }
            if (!$answer->accepted) {
                $this->undo($group);
                return $answer;
            }
            $part->keepHeld($this->held, $answer->held);
            if (!$part->isSkipped()) {
                $next = max($next, $answer->retry);
                $tightest = $tightest === null || self::isTighter($answer, $tightest) ? $answer : $tightest;
            }
        }
        $tightest ??= $answer;
        $tightest->retry = $next;
        return $this->granted($tightest);
    }

    /** Gives back what the parts of the first keys took, as if it had never been. A part whose key does not answer stays charged. */
    private function undo(int $groups): void
    {
        for ($group = 0; $group < $groups; $group++) {
            $this->giveBack($group);
        }
    }

    private function giveBack(int $group): void
    {
        $whole = clone $this->q;
        $whole->costs = null;
        $whole->cost = 0;
        $whole->held = array_map(fn (int $i): Held => $this->held[$i] ?? new Held(0, 0, 0, 0), array_keys($this->q->rules));
        try {
            $this->store->ask($this->keys[$group], (new Part($whole, $group, Op::SETTLE, false))->question);
        } catch (StoreFailure|StaleBoundaries) {
        }
    }

    /** Returns whether a refusal decides in the place of another one, both without bans that begin. */
    private static function decidesBefore(Answer $answer, Answer $than): bool
    {
        if ($answer->outcome !== $than->outcome) {
            return $answer->outcome > $than->outcome; /* too expensive, banned, limited, accepted */
        }
        return match ($answer->outcome) {
            Outcome::TOO_EXPENSIVE => $answer->index < $than->index,
            Outcome::BANNED => $answer->reset > $than->reset,
            Outcome::LIMITED => $answer->retry > $than->retry || ($answer->retry === $than->retry && $answer->index < $than->index),
            default => self::isTighter($answer, $than),
        };
    }

    /** Judges all parts together. An accepted answer: none refuses. */
    private function judge(): Answer
    {
        $parts = [];
        $deciding = null;
        $retry = 0;
        $next = 0;
        foreach ($this->keys as $group => $_) {
            $part = $this->part($group, Op::PEEK);
            $parts[$group] = $answer = $this->ask($part);
            $isSkipped = $answer->accepted && $part->isSkipped();
            if (!$answer->accepted) {
                $retry = max($retry, $answer->retry);
            } elseif (!$isSkipped) {
                $next = max($next, $answer->retry);
            }
            if (!$isSkipped && ($deciding === null || self::decidesBefore($answer, $deciding))) {
                $deciding = $answer;
            }
        }
        $deciding ??= $parts[0];
        if ($deciding->accepted) {
            $deciding->retry = $next;
            foreach ($this->q->op === Op::PEEK ? $this->keys : [] as $group => $_) {
                $part = $this->part($group, Op::PEEK);
                $part->question->asIs = false;
                $this->ask($part);
            }
            return $this->granted($deciding);
        }
        $decided = clone $deciding;
        $decided->found = false;
        if ($decided->outcome === Outcome::LIMITED) {
            $begun = $this->beginBan($parts);
            if ($begun !== null && $begun[0]->accepted) {
                return $begun[0];
            }
            if ($begun !== null && $begun[0]->outcome === Outcome::BANNED) {
                $decided = $begun[0];
                $decided->found = true;
                $retry = $this->retryBeside($begun[0], $begun[1], $parts);
            }
        }
        /* The call that is too expensive never passes. */
        $decided->retry = $decided->outcome === Outcome::TOO_EXPENSIVE ? Answer::NEVER : $retry;
        $decided->granted = 0;
        $decided->wait = 0;
        return $decided;
    }

    /** @param array<int, Answer> $parts */
    private function retryBeside(Answer $ban, int $begun, array $parts): int
    {
        $retry = $ban->retry;
        foreach ($parts as $group => $answer) {
            if ($group !== $begun && !$answer->accepted) {
                $retry = max($retry, $answer->retry);
            }
        }
        return $retry;
    }

    /**
     * Begins the ban that ends last, of those that the refusing parts would begin. Returns its answer and its group; an accepted
     * answer: that part passes now. Null: no part begins a ban.
     *
     * @param array<int, Answer> $parts their answers without bans
     * @return array{Answer, int}|null
     */
    private function beginBan(array $parts): ?array
    {
        $last = null;
        $left = $this->left;
        foreach ($parts as $group => $answer) {
            $part = $this->part($group, Op::PEEK, true);
            if ($answer->outcome !== Outcome::LIMITED || !$part->hasBan()) {
                continue;
            }
            $ban = $this->ask($part);
            if ($ban->outcome === Outcome::BANNED && $ban->found && ($last === null || $ban->reset > $last[0]->reset
                || ($ban->reset === $last[0]->reset && $ban->index < $last[0]->index))) {
                $last = [$ban, $group];
            }
        }
        $this->left = $left;
        if ($last === null) {
            return null;
        }
        [, $group] = $last;
        $part = $this->part($group, $this->q->op === Op::PEEK ? Op::PEEK : Op::ACQUIRE, true);
        $answer = $this->ask($part);
        if ($answer->accepted && $this->q->op !== Op::PEEK) {
            $this->held = [];
            $part->keepHeld($this->held, $answer->held);
            $this->giveBack($group);
        }
        return [$answer, $group];
    }
}
