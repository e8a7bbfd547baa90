<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Memory;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Now;
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
            $banEnd = self::banEnd($q, $now);
            if ($banEnd > $floor) {
                $outcome = Outcome::BANNED;
                $end = $banEnd;
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
        return $answer;
    }

    public function reset(string $key, int $mono): bool
    {
        $found = isset($this->counters[$key]) && $this->counters[$key][0] > intdiv($mono, 1000);
        unset($this->counters[$key]);
        return $found;
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

    private static function banEnd(CounterQuestion $q, Now $now): int
    {
        if ($q->banKind === BanKind::FOR) {
            return self::ceilMs($now->mono) + 1000 * $q->banS;
        }
        $left = $q->banKind === BanKind::UNTIL ? $q->banS * 1_000_000 - $now->wall : 0;
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
