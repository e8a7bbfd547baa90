<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Memory;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Counter;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Now;

/** Keeps the counters of doHandle() and check(). */
final class Counters
{
    /** @var array<string, Counter> */
    private array $counters = [];
    private readonly Sweep $sweep;

    public function __construct()
    {
        $this->sweep = new Sweep();
    }

    public function decide(string $key, CounterQuestion $q, Now $now, bool $peek): Answer
    {
        [$answer, $next] = ($this->counters[$key] ?? new Counter())->decide($q, $now);
        if (!$peek) {
            $this->keep($key, $next, $now);
        }
        return $answer;
    }

    /** Carries a command out. Returns whether there was what it drops: a counter, or of unban a ban. */
    public function command(string $key, CounterCommand $c, Now $now): bool
    {
        [$found, $next] = ($this->counters[$key] ?? new Counter())->command($c, $now);
        $this->keep($key, $next, $now);
        return $found;
    }

    private function keep(string $key, Counter $counter, Now $now): void
    {
        if ($counter->isOver($now)) {
            unset($this->counters[$key]);
            return;
        }
        $this->counters[$key] = $counter;
        if (\count($this->counters) > $this->sweep->dueAt) {
            $this->sweep($now);
        }
    }

    public function flush(): void
    {
        $this->counters = [];
    }

    /** Drops what has expired, and of too many counters those that end next. */
    private function sweep(Now $now): void
    {
        $ends = [];
        foreach ($this->counters as $key => $counter) {
            if ($counter->isOver($now)) {
                unset($this->counters[$key]);
            } elseif (!$counter->ban) {
                $ends[$key] = $counter->endMs;
            }
        }
        foreach ($this->sweep->evict($ends, \count($this->counters)) as $key) {
            unset($this->counters[$key]);
        }
    }
}
