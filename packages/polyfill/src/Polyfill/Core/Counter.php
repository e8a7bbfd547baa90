<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The state of a counter of doHandle() and check(): one window, or one ban. It never changes. */
final class Counter
{
    /**
     * @param int  $endMs of the window or the ban, in milliseconds of the monotonic clock; 0: a fresh counter
     * @param bool $ban   whether the end is a ban's
     */
    public function __construct(public readonly int $endMs = 0, public readonly int $count = 0, public readonly bool $ban = false)
    {
    }

    public function isOver(Now $now): bool
    {
        return $this->endMs <= intdiv($now->mono, 1000);
    }

    /**
     * Decides a call. Returns the answer and the next state.
     *
     * @return array{Answer, self}
     */
    public function decide(CounterQuestion $q, Now $now): array
    {
        $windowEnd = self::ceilMs($now->mono) + 1000 * $q->seconds;
        $next = $this;
        if ($this->isOver($now)) {
            $next = new self($windowEnd, 1);
        } elseif (!$this->ban && $this->count < $q->limit) {
            $next = new self($this->endMs, $this->count + 1);
        } elseif (!$this->ban) {
            $ban = new self(self::banEnd($q->banKind, $q->banS * 1000, $now), $this->count, true);
            if (!$ban->isOver($now)) {
                /* No window is so long: it is a ban of another program. It keeps its end. */
                $next = $this->endMs > $windowEnd ? new self($this->endMs, $this->count, true) : $ban;
            }
        }
        $accepted = $next !== $this && !$next->ban;
        $remaining = $next->ban ? 0 : max(0, $q->limit - $next->count);
        $reset = $next->endMs * 1000 - $now->mono;
        $outcome = $accepted ? Outcome::ACCEPTED : ($next->ban ? Outcome::BANNED : Outcome::LIMITED);
        $answer = new Answer($outcome, 0, $q->limit, $remaining, $remaining > 0 ? 0 : $reset, $reset);
        $answer->granted = $accepted ? 1 : 0;
        $answer->found = $next->ban && !$this->ban;
        return [$answer, $next];
    }

    /**
     * Carries a command out. Returns whether there was what it drops, a counter or of unban a ban, and the next state.
     *
     * @return array{bool, self}
     */
    public function command(CounterCommand $c, Now $now): array
    {
        if ($c->op === Op::BAN) {
            $ban = new self(self::banEnd($c->banKind, $c->banMs, $now), 0, true);
            return [false, $ban->isOver($now) ? $this : $ban];
        }
        $found = !$this->isOver($now) && ($this->ban || $c->op !== Op::UNBAN);
        return [$found, $found ? new self() : $this];
    }

    private static function ceilMs(int $us): int
    {
        return intdiv($us + 999, 1000);
    }

    /**
     * Returns the end of a ban; 0 if it starts none.
     *
     * @param int $ms a time, or a moment of the wall clock
     */
    private static function banEnd(int $kind, int $ms, Now $now): int
    {
        if ($kind === BanKind::FOR) {
            return self::ceilMs($now->mono) + $ms;
        }
        $left = $kind === BanKind::UNTIL ? $ms * 1000 - $now->wall : 0;
        return $left > 0 ? self::ceilMs($now->mono + $left) : 0;
    }
}
