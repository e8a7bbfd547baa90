<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Memory;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Now;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Outcome;

/** The counters of doHandle() and check(). Their ends are whole milliseconds of the monotonic clock. */
final class Counters
{
    /** @var array<string, array{int, int, bool}> end in ms, count, whether the end is a ban's */
    private array $counters = [];
    private readonly Sweep $sweep;

    public function __construct()
    {
        $this->sweep = new Sweep();
    }

    public function decide(string $key, CounterQuestion $q, Now $now, bool $peek): Answer
    {
        $floor = intdiv($now->mono, 1000);
        [$end, $count, $ban] = $this->counters[$key] ?? [0, 0, false];
        $outcome = Outcome::ACCEPTED;
        $begins = false;
        if ($end <= $floor) {
            $end = self::ceilMs($now->mono) + 1000 * $q->seconds;
            $count = 1;
            $ban = false;
        } elseif ($ban) {
            $outcome = Outcome::BANNED;
        } elseif ($count < $q->limit) {
            $count++;
        } else {
            $outcome = Outcome::LIMITED;
            $banEnd = self::banEnd($q->banKind, $q->banS * 1000, $now);
            if ($banEnd > $floor) {
                $outcome = Outcome::BANNED;
                $begins = true;
                // No window is so long: it is a ban of another program. It keeps its end.
                $end = $end > self::ceilMs($now->mono) + 1000 * $q->seconds ? $end : $banEnd;
                $ban = true;
            }
        }
        if (!$peek) {
            $this->counters[$key] = [$end, $count, $ban];
            if (\count($this->counters) > $this->sweep->dueAt) {
                $this->sweep($floor);
            }
        }
        $reset = $end * 1000 - $now->mono;
        $accepted = $outcome === Outcome::ACCEPTED;
        $remaining = $ban ? 0 : max(0, $q->limit - $count);
        $answer = new Answer($outcome, 0, $q->limit, $remaining, $remaining > 0 ? 0 : $reset, $reset);
        $answer->granted = $accepted ? 1 : 0;
        $answer->found = $begins;
        return $answer;
    }

    /** Carries a command out. Returns whether there was what it drops: a counter, or of unban a ban. */
    public function command(string $key, CounterCommand $c, Now $now): bool
    {
        if ($c->op === Op::BAN) {
            $this->ban($key, self::banEnd($c->banKind, $c->banMs, $now), intdiv($now->mono, 1000));
            return false;
        }
        [$end, , $ban] = $this->counters[$key] ?? [0, 0, false];
        $runs = $end > intdiv($now->mono, 1000);
        if ($c->op === Op::UNBAN && !($runs && $ban)) {
            return false;
        }
        unset($this->counters[$key]);
        return $runs;
    }

    private function ban(string $key, int $end, int $floor): void
    {
        if ($end <= $floor) {
            unset($this->counters[$key]);
            return;
        }
        $this->counters[$key] = [$end, 0, true];
        if (\count($this->counters) > $this->sweep->dueAt) {
            $this->sweep($floor);
        }
    }

    public function flush(): void
    {
        $this->counters = [];
    }

    public function size(): int
    {
        return \count($this->counters);
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

    /** Drops what has expired, and of too many counters those that end next. */
    private function sweep(int $ms): void
    {
        $ends = [];
        foreach ($this->counters as $key => [$end, , $ban]) {
            if ($end <= $ms) {
                unset($this->counters[$key]);
            } elseif (!$ban) {
                $ends[$key] = $end;
            }
        }
        foreach ($this->sweep->evict($ends, \count($this->counters)) as $key) {
            unset($this->counters[$key]);
        }
    }
}
