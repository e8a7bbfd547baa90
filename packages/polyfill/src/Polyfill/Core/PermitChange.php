<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** Answers settle, release and renew: what a permit holds ends, or is held longer. */
final class PermitChange
{
    public function __construct(private readonly Evaluation $ev)
    {
    }

    public function answer(): Answer
    {
        $q = $this->ev->question;
        $found = true;
        $groups = [];
        foreach ($this->ev->contexts as $i => $c) {
            $concurrent = $c->rule->algorithm === Algorithm::CONCURRENT;
            $changed = match (true) {
                $q->op === Op::SETTLE => $this->settle($c, $q->held[$i], $q->costOf($i)),
                $concurrent => $this->endOrRenew($c, $q->held[$i]),
                default => false,
            };
            if ($changed) {
                $groups[$c->rule->identity] = true;
            }
            $found = $found && ($changed || !$concurrent);
        }
        $answer = Decider::answerAdmitted($this->ev);
        $answer->granted = $q->costOf($answer->index);
        $answer->found = $found;
        $answer->left = $this->ev->left();
        /* The state of another identity stays as it is, with the marks of its limit states. */
        array_map($this->ev->storeGroup(...), array_keys($groups));
        return $answer;
    }

    /** Ends a permit's part with its true cost. Returns whether the limit state has changed. */
    private function settle(Context $c, Held $held, int $trueCost): bool
    {
        $concurrent = $c->rule->algorithm === Algorithm::CONCURRENT;
        if ($trueCost > $held->cost && !$concurrent) {
            $c->cost = $trueCost - $held->cost;
            $c->debt = true;
            $c->admit(0);
            return true;
        }
        if (!$c->isLive() || $held->tag === 0 || (!$concurrent && ($trueCost === $held->cost || $c->state->tag !== $held->tag))) {
            return false;
        }
        return $this->becomes($c, $c->state->giveBack($c, $held, $held->cost - $trueCost, $trueCost === 0));
    }

    /** Ends a concurrent place, or moves its end. Returns false when it is gone. */
    private function endOrRenew(Context $c, Held $held): bool
    {
        if (!$c->isLive() || $held->tag === 0) {
            return false;
        }
        $q = $this->ev->question;
        return $this->becomes($c, $q->op === Op::RENEW
            ? $c->state->renew($held, $c->now->mono + ($q->renew > 0 ? $q->renew : $c->rule->period))
            : $c->state->giveBack($c, $held, $held->cost, false));
    }

    private function becomes(Context $c, ?LimitState $next): bool
    {
        $c->state = $next ?? $c->state;
        return $next !== null;
    }
}
