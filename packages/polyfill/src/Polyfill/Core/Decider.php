<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** Answers a question by a state, and changes the state. docs/semantics.md of ratelimit defines each answer. */
final class Decider
{
    private readonly int $at;

    /** @param int $at the moment that is judged, on the monotonic clock */
    private function __construct(private readonly Evaluation $ev, int $at)
    {
        $this->at = $at;
    }

    /** Returns the answer; its outcome is STALE where the calendar boundaries do not contain the time. */
    public static function decide(Question $q, State $state, Now $now, int $at): Answer
    {
        if (self::isStale($q, $now)) {
            return new Answer(Outcome::STALE, 0, 0, 0, 0, 0);
        }
        $decider = new self(new Evaluation($q, $state, $now, $at), $at);
        return match ($q->op) {
            Op::CONSUME, Op::PEEK, Op::RESERVE, Op::ACQUIRE => $decider->consume(),
            Op::SETTLE, Op::RELEASE, Op::RENEW => (new PermitChange($decider->ev))->answer(),
            default => $decider->command(),
        };
    }

    private static function isStale(Question $q, Now $now): bool
    {
        if ($q->op === Op::BAN || $q->op === Op::UNBAN || $q->op === Op::RESET || $q->op > Op::SETTLE) {
            return false;
        }
        $booking = Op::isBooking($q->op);
        $us = $booking ? $q->at : $now->wall;
        foreach ($q->rules as $rule) {
            if ($rule->algorithm === Algorithm::CALENDAR_WINDOW
                && ($us < $rule->boundaries[0] || $us >= $rule->boundaries[$booking ? 1 : 2])) {
                return true;
            }
        }
        return false;
    }

    /** Returns the answer by limit $i, with the numbers of its context. */
    public static function answerOf(Evaluation $ev, int $i, int $outcome, int $retry): Answer
    {
        $c = $ev->contexts[$i];
        $answer = new Answer($outcome, $i, $c->rule->limit, $c->remaining(), $retry, max(0, $c->state->fullAt($c) - $ev->now->mono));
        $answer->level = $ev->level;
        return $answer;
    }

    /**
     * Returns the answer of an admitted call, by the limit with the least left. Its retry is the time until a call with a cost
     * of 1 passes. Changes the costs of all limits. The answer to release and renew has no such time: their questions lack the
     * boundaries of calendar windows.
     */
    public static function answerAdmitted(Evaluation $ev): Answer
    {
        $tightest = 0;
        $least = PHP_INT_MAX;
        foreach ($ev->contexts as $i => $c) {
            $remaining = $c->remaining();
            if ($remaining < $least) {
                $tightest = $i;
                $least = $remaining;
            }
        }
        $next = $ev->contexts[0]->at;
        if ($least === 0 && $ev->question->op !== Op::RELEASE && $ev->question->op !== Op::RENEW) {
            $ev->setCost(1);
            $next = $ev->earliest($next);
        }
        return self::answerOf($ev, $tightest, Outcome::ACCEPTED, max(0, $next - $ev->now->mono));
    }

    /**
     * Returns the tag of the limit state that admit() is about to make: that of the present one, unless that ends here by a
     * conversion. An acquire gives its number to a limit state without a tag; concurrent places have their own.
     */
    public static function tagToMake(Context $c, int $number): int
    {
        $algorithm = $c->rule->algorithm;
        $tag = $c->state->tag;
        if (($algorithm === Algorithm::SLIDING_WINDOW || $algorithm === Algorithm::TOKEN_BUCKET)
            && !$c->state->hasPeriodOf($c->rule)) {
            $tag = 0;
        }
        return $tag !== 0 || $algorithm === Algorithm::CONCURRENT ? $tag : $number;
    }

    private function banEnd(int $kind, int $us): int
    {
        return match ($kind) {
            BanKind::FOR => $this->ev->now->mono + $us,
            BanKind::UNTIL => $this->ev->now->mono($us),
            default => PHP_INT_MIN,
        };
    }

    /* ---- Decisions ---- */

    private function consume(): Answer
    {
        $ev = $this->ev;
        $q = $ev->question;
        $needed = ($q->atLeast > 0 ? $q->atLeast : $q->cost) + $q->leave;
        foreach ($ev->contexts as $i => $c) {
            $c->cost = $needed;
            if ($needed > $c->rule->limit) {
                return self::answerOf($ev, $i, Outcome::TOO_EXPENSIVE, Answer::NEVER);
            }
        }
        if ($ev->state->ban !== null && $ev->state->ban->end > $this->at) {
            return $this->answerBanned($ev->state->ban, $this->banningLimit($ev->state->ban), $ev->level);
        }
        if ($q->cost === 0) {
            return self::answerAdmitted($ev);
        }
        if ($q->atLeast > 0) {
            $needed = $this->partOf($q->cost) + $q->leave;
            $ev->setCost($needed);
        }
        $earliest = [];
        $latest = 0;
        foreach ($ev->contexts as $i => $c) {
            $earliest[$i] = $c->state->earliest($c, $this->at);
            $latest = $earliest[$i] > $earliest[$latest] ? $i : $latest;
        }
        if ($earliest[$latest] === $this->at) {
            return $this->noRoom() ?? $this->admitAll($needed - $q->leave, $this->at);
        }
        return ($q->op === Op::ACQUIRE && $q->maxWait > 0 ? $this->bookTurn($earliest, $needed - $q->leave) : null)
            ?? ($q->op === Op::RESERVE ? null : $this->beginBan($earliest))
            ?? self::answerOf($ev, $latest, Outcome::LIMITED, $ev->earliest($this->at) - $ev->now->mono);
    }

    /** Returns the part of the cost that passes now; the least part that is enough if none does. */
    private function partOf(int $wanted): int
    {
        foreach ($this->ev->contexts as $c) {
            $wanted = min($wanted, $c->remaining() - $this->ev->question->leave);
        }
        return max($wanted, $this->ev->question->atLeast);
    }

    /** Returns the refusal of a booking by a limit without room for it, or null. */
    private function noRoom(): ?Answer
    {
        if ($this->ev->question->op !== Op::RESERVE) {
            return null;
        }
        foreach ($this->ev->contexts as $i => $c) {
            $at = $c->state->bookAt($c);
            if ($at > $this->ev->now->mono) {
                return self::answerOf($this->ev, $i, Outcome::LIMITED, $at - $this->ev->now->mono);
            }
        }
        return null;
    }

    /** Counts the cost in all limits, at the moment that their contexts judge. */
    private function admitAll(int $cost, int $at): Answer
    {
        $ev = $this->ev;
        $q = $ev->question;
        if ($q->op === Op::PEEK) {
            $ev->detach();
        }
        $held = [];
        foreach ($ev->contexts as $c) {
            $c->cost = $cost;
            $c->number = $q->number;
            $c->tag = self::tagToMake($c, $q->op === Op::ACQUIRE ? $q->number : 0);
            $c->state->admit($c);
            $c->state->tag = $c->tag;
            $tag = $c->rule->algorithm === Algorithm::CONCURRENT ? $q->number : $c->tag;
            $held[] = new Held($tag, $c->place, $c->moved, $cost);
        }
        $answer = self::answerAdmitted($ev);
        $answer->granted = $cost;
        if ($q->op === Op::ACQUIRE) {
            $answer->held = $held;
            $answer->wait = $at - $ev->now->mono;
        }
        if ($q->op !== Op::PEEK) {
            $ev->store();
        }
        return $answer;
    }

    /**
     * Books the first moment at which the call passes. Returns null if it is too far away, or cannot be booked.
     *
     * @param array<int, int> $earliest
     */
    private function bookTurn(array $earliest, int $cost): ?Answer
    {
        $ev = $this->ev;
        $now = $ev->now->mono;
        foreach ($ev->contexts as $i => $c) {
            if ($c->rule->algorithm === Algorithm::CONCURRENT && $earliest[$i] > $now) {
                return null;
            }
        }
        $t = $ev->earliest($now);
        $turns = $t - $now <= $ev->question->maxWait ? $this->contextsAt($t) : null;
        if ($turns === null) {
            return null;
        }
        $ev->contexts = $turns;
        return $this->admitAll($cost, $t);
    }

    /**
     * Returns contexts in which all limits judge the moment $t in the place of now; null if it cannot be booked.
     *
     * @return list<Context>|null
     */
    private function contextsAt(int $t): ?array
    {
        $turns = [];
        foreach ($this->ev->contexts as $c) {
            $rule = $c->rule;
            if ($rule->algorithm === Algorithm::CALENDAR_WINDOW) {
                $boundaries = CalendarWindow::boundariesAround($rule, $c->now, $t);
                if ($boundaries === null) {
                    return null;
                }
                $rule = clone $rule;
                $rule->boundaries = $boundaries;
            }
            $turn = new Context($rule, $c->state, $c->now, $t, true, $c->cost);
            if ($turn->state->earliest($turn, $t) !== $t || $turn->state->bookAt($turn) > $c->now->mono) {
                return null;
            }
            $turns[] = $turn;
        }
        return $turns;
    }

    /* ---- Bans ---- */

    private function answerBanned(Ban $ban, int $i, int $level): Answer
    {
        $now = $this->ev->now->mono;
        $answer = new Answer(
            Outcome::BANNED,
            $i,
            $this->ev->contexts[$i]->rule->limit,
            0,
            $this->ev->earliest($ban->end) - $now,
            $ban->end - $now,
        );
        $answer->level = $level;
        return $answer;
    }

    /** Returns the limit that began the ban; else the first of its algorithm; else the first. */
    private function banningLimit(Ban $ban): int
    {
        $alike = null;
        foreach ($this->ev->question->rules as $i => $rule) {
            if ($rule->algorithm === $ban->algorithm) {
                if ($rule->periodKey() === $ban->period && $rule->rate === $ban->rate) {
                    return $i;
                }
                $alike ??= $i;
            }
        }
        return $alike ?? 0;
    }

    /**
     * Of the limits that refuse, the one whose ban ends last begins its ban. Returns null if no limit bans.
     *
     * @param array<int, int> $earliest
     */
    private function beginBan(array $earliest): ?Answer
    {
        $ev = $this->ev;
        $which = null;
        $last = $ev->now->mono;
        foreach ($ev->question->rules as $i => $rule) {
            $end = $rule->steps === null ? $this->banEnd($rule->banKind, $rule->banUs) : $ev->now->mono + $rule->steps->time($ev->level);
            if ($earliest[$i] > $ev->now->mono && $end > $last) {
                $which = $i;
                $last = $end;
            }
        }
        if ($which === null) {
            return null;
        }
        $rule = $ev->contexts[$which]->rule;
        $ban = Ban::of($rule, $last);
        $level = min(BanSteps::LEVEL_MAX, $ev->level + ($rule->steps === null ? 0 : 1));
        $ev->contexts[$which]->state = LimitState::fresh($rule);
        if ($ev->question->op !== Op::PEEK) {
            $ev->state->ban = $ban;
            if ($rule->steps !== null) {
                $ev->state->level = $level;
                $ev->state->forgetAt = $last + $rule->steps->forget;
            }
            $ev->store();
        }
        return $this->answerBanned($ban, $which, $level);
    }

    /* ---- Commands ---- */

    private function command(): Answer
    {
        $answer = new Answer(Outcome::ACCEPTED, 0, $this->ev->contexts[0]->rule->limit, 0, 0, 0);
        $answer->found = match ($this->ev->question->op) {
            Op::CANCEL => $this->cancel(),
            Op::CREDIT => $this->credit(),
            Op::BAN => $this->ban(),
            Op::UNBAN => $this->unban(),
            Op::RESET => $this->reset(),
            default => throw new \LogicException('No question has the number ' . $this->ev->question->op),
        };
        return $answer;
    }

    private function cancel(): bool
    {
        $this->ev->detach();
        foreach ($this->ev->contexts as $c) {
            if (!$c->state->cancel($c)) {
                return false;
            }
        }
        $this->ev->store();
        return true;
    }

    private function credit(): bool
    {
        foreach ($this->ev->contexts as $c) {
            if ($c->state->expiresAt($c->now) > $c->now->mono) {
                $c->state->credit($c);
            }
        }
        $this->ev->store();
        return false;
    }

    private function ban(): bool
    {
        $end = $this->banEnd($this->ev->question->banKind, $this->ev->question->banUs);
        $this->ev->state->ban = $end > $this->ev->now->mono ? new Ban($end) : null;
        $this->ev->store();
        return false;
    }

    private function unban(): bool
    {
        $found = $this->ev->state->isBanned($this->ev->now);
        if ($found) {
            $this->ev->state->ban = null;
            $this->ev->store();
        }
        return $found;
    }

    private function reset(): bool
    {
        $found = $this->ev->hasStates || $this->ev->level > 0 || $this->ev->state->isBanned($this->ev->now);
        $this->ev->state->ban = null;
        $this->ev->state->level = 0;
        $this->ev->state->forgetAt = PHP_INT_MIN;
        $this->ev->state->limits = [];
        return $found;
    }
}
