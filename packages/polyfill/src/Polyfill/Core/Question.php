<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** One question to the store of a limiter's states. */
final class Question
{
    /** The permits that must remain of every limit afterwards; consume, acquire. */
    public int $leave = 0;
    /** A part of the cost that is enough; 0: all of it; consume, acquire. */
    public int $atLeast = 0;
    /** The moment to book or to cancel, in microseconds of the wall clock. */
    public int $at = 0;
    /** Answer::$left is of the state as it is, not after the call; peek. */
    public bool $asIs = false;
    /** One of BanKind, and its time or moment; ban. */
    public int $banKind = BanKind::NONE;
    public int $banUs = 0;
    /** The longest wait; acquire. */
    public int $maxWait = 0;
    /** The time to renew for; 0: each limit's own period; renew. */
    public int $renew = 0;
    /** The permit's number, 1 to 2^48 - 1; acquire, release. */
    public int $number = 0;
    /** @var list<Held> one for each limit; settle, release, renew */
    public array $held = [];
    /** @var list<int>|null the cost of each limit, in the place of the cost; 0: the limit is skipped. Null: all have the cost */
    public ?array $costs = null;

    /**
     * @param int        $op    one of Op
     * @param list<Rule> $rules
     */
    public function __construct(public int $op, public array $rules, public int $cost = 1)
    {
    }

    public function costOf(int $limit): int
    {
        return $this->costs[$limit] ?? $this->cost;
    }

    /** Returns whether a limit is neither judged nor counted. A permit's end skips none. */
    public function skips(int $limit): bool
    {
        return $this->costs !== null && $this->costs[$limit] === 0 && $this->op !== Op::SETTLE;
    }
}
