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

    /**
     * Returns the answer; its outcome is STALE where the calendar boundaries do not contain the time.
     *
     * @param list<State> $states one; of acquire and peek also one for each identity
     */
    public static function decide(Question $q, array $states, Now $now, int $at): Answer
    {
        if (self::isStale($q, $now)) {
            return new Answer(Outcome::STALE, 0, 0, 0, 0, 0);
        }
        $decider = new self(new Evaluation($q, $states, $now, $at), $at);
        return match ($q->op) {
            Op::CONSUME, Op::PEEK, Op::RESERVE, Op::ACQUIRE => $decider->answer(),
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
        $answer->level = $ev->groupOf($i)->level;
        return $answer;
    }

    /**
     * Returns the answer of an admitted call, by the limit with the least left. Its retry is the time until a call with a cost
     * of 1, for each limit that is not skipped, passes, after a ban that is running. Changes the costs of all limits. The answer to release and renew has no such time: their questions lack the
     * boundaries of calendar windows.
     */
    public static function answerAdmitted(Evaluation $ev): Answer
    {
        $tightest = 0;
        $least = PHP_INT_MAX;
        foreach ($ev->contexts as $i => $c) {
            $remaining = $ev->question->skips($i) ? PHP_INT_MAX : $c->remaining();
            if ($remaining < $least) {
                $tightest = $i;
                $least = $remaining;
            }
        }
        $next = $ev->contexts[$tightest]->at;
        foreach ($ev->question->op === Op::SETTLE ? $ev->groups : [] as $group) {
            $next = max($next, $group->state->ban->end ?? $next);
        }
        if ($least === 0 && $ev->question->op !== Op::RELEASE && $ev->question->op !== Op::RENEW) {
            foreach ($ev->contexts as $c) {
                $c->cost = 1;
            }
            $next = $ev->earliest($next);
        }
        return self::answerOf($ev, $tightest, Outcome::ACCEPTED, max(0, $next - $ev->now->mono));
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

    private function answer(): Answer
    {
        $asIs = $this->ev->question->asIs ? $this->ev->left() : null;
        $answer = $this->consume();
        $answer->left = $answer->accepted && $asIs !== null ? $asIs : $this->ev->left();
        return $answer;
    }

    private function consume(): Answer
    {
        $ev = $this->ev;
        $q = $ev->question;
        $cost = $q->atLeast > 0 ? $q->atLeast : $q->cost;
        $looks = $q->costs === null && $cost === 0;
        $ev->setCost($cost, $q->leave);
        foreach ($ev->contexts as $i => $c) {
            if ($c->cost > $c->rule->limit && !$q->skips($i)) {
                return self::answerOf($ev, $i, Outcome::TOO_EXPENSIVE, Answer::NEVER);
            }
        }
        $banned = $this->runningBan();
        if ($banned !== null) {
            return $this->answerBanned($banned[0], $this->banningLimit(...$banned), $looks);
        }
        if ($looks) {
            return self::answerAdmitted($ev);
        }
        if ($q->atLeast > 0) {
            $cost = $this->partOf($q->cost);
            $ev->setCost($cost, $q->leave);
        }
        $earliest = [];
        $latest = 0;
        foreach ($ev->contexts as $i => $c) {
            $earliest[$i] = $ev->earliestOf($i, $this->at);
            $latest = $earliest[$i] > $earliest[$latest] ? $i : $latest;
        }
        if ($earliest[$latest] === $this->at) {
            return $this->noRoom() ?? $this->admitAll($cost, $this->at);
        }
        return ($q->op === Op::ACQUIRE && $q->maxWait > 0 ? $this->bookTurn($earliest, $cost) : null)
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
            $at = $this->ev->question->skips($i) ? PHP_INT_MIN : $c->state->bookAt($c);
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
        $held = [];
        $ev->setCost($cost, 0);
        foreach ($ev->contexts as $i => $c) {
            if ($q->skips($i)) {
                $held[] = new Held(0, 0, 0, 0);
                continue;
            }
            $c->admit($q->number);
            $tag = $c->rule->algorithm === Algorithm::CONCURRENT ? $q->number : $c->tag;
            $held[] = new Held($tag, $c->place, $c->moved, $c->cost);
        }
        $answer = self::answerAdmitted($ev);
        $answer->granted = $q->costs[$answer->index] ?? $cost;
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
        foreach ($this->ev->contexts as $i => $c) {
            if ($this->ev->question->skips($i)) {
                $turns[] = $c;
                continue;
            }
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

    /** @param bool $looks the cost is 0: the call passes when the ban ends */
    private function answerBanned(Ban $ban, int $i, bool $looks = false): Answer
    {
        $now = $this->ev->now->mono;
        $passes = $looks ? $ban->end : $this->ev->earliest($ban->end);
        $answer = new Answer(Outcome::BANNED, $i, $this->ev->contexts[$i]->rule->limit, 0, $passes - $now, $ban->end - $now);
        $answer->level = $this->ev->groupOf($i)->level;
        return $answer;
    }

    /**
     * Returns the ban that ends last, of those that run at the moment that is judged, and its group; null: none runs.
     *
     * @return array{Ban, int}|null
     */
    private function runningBan(): ?array
    {
        $last = null;
        foreach ($this->ev->groups as $g => $group) {
            $ban = $group->state->ban;
            if ($ban !== null && $ban->end > $this->at && ($last === null || $ban->end > $last[0]->end)) {
                $last = [$ban, $g];
            }
        }
        return $last;
    }

    /** Returns the limit that began a group's ban; else the group's first of its kind; else of its algorithm; else its first. */
    private function banningLimit(Ban $ban, int $group): int
    {
        $found = 0;
        $most = -1;
        foreach ($this->ev->question->rules as $i => $rule) {
            $alike = match (true) {
                $rule->algorithm !== $ban->algorithm => 0,
                $rule->periodKey() !== $ban->period || $rule->rate !== $ban->rate => 1,
                $rule->mark !== $ban->mark => 2,
                default => 3,
            };
            if ($rule->identity === $group && $alike > $most) {
                $found = $i;
                $most = $alike;
            }
        }
        return $found;
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
            $end = $rule->steps === null ? $this->banEnd($rule->banKind, $rule->banUs)
                : $ev->now->mono + $rule->steps->time($ev->groupOf($i)->level);
            if ($earliest[$i] > $ev->now->mono && $end > $last) {
                $which = $i;
                $last = $end;
            }
        }
        if ($which === null) {
            return null;
        }
        $rule = $ev->question->rules[$which];
        $group = $ev->groupOf($which);
        $ban = Ban::of($rule, \count(array_filter($ev->question->rules, $rule->equals(...))) > 1, $last);
        $group->level = min(BanSteps::LEVEL_MAX, $group->level + ($rule->steps === null ? 0 : 1));
        $group->banEnd = $last;
        $group->forgetAt = $rule->steps === null ? $group->forgetAt : $last + $rule->steps->forget;
        $ev->contexts[$which]->state = LimitState::fresh($rule);
        if ($ev->question->op !== Op::PEEK) {
            $group->state->ban = $ban;
            if ($rule->steps !== null) {
                $group->state->level = $group->level;
                $group->state->forgetAt = $group->forgetAt;
            }
            $ev->storeGroup($rule->identity);
        }
        $answer = $this->answerBanned($ban, $which);
        $answer->found = true;
        return $answer;
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
        foreach ($this->ev->contexts as $i => $c) {
            if ($this->ev->question->skips($i)) {
                continue;
            }
            $next = $c->state->cancel($c);
            if ($next === null) {
                return false;
            }
            $c->state = $next;
        }
        $this->ev->store();
        return true;
    }

    private function credit(): bool
    {
        $changes = false;
        foreach ($this->ev->contexts as $i => $c) {
            if (!$this->ev->question->skips($i) && $c->isLive()) {
                $c->state = $c->state->credit($c);
                $changes = true;
            }
        }
        $changes && $this->ev->store();
        return false;
    }

    private function ban(): bool
    {
        $end = $this->banEnd($this->ev->question->banKind, $this->ev->question->banUs);
        if ($end > $this->ev->now->mono) {
            $this->ev->groups[0]->state->ban = new Ban($end);
            $this->ev->store();
        }
        return false;
    }

    private function unban(): bool
    {
        $state = $this->ev->groups[0]->state;
        $found = $state->isBanned($this->ev->now);
        if ($found) {
            $state->ban = null;
            $this->ev->store();
        }
        return $found;
    }

    private function reset(): bool
    {
        $group = $this->ev->groups[0];
        $found = $group->hasStates || $group->level > 0 || $group->state->isBanned($this->ev->now);
        $group->state->ban = null;
        $group->state->level = 0;
        $group->state->forgetAt = PHP_INT_MIN;
        $group->state->limits = [];
        return $found;
    }
}
