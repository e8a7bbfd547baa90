<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Memory;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Decider;
use FrequencyLimit\Polyfill\Core\Now;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\State;
use FrequencyLimit\Polyfill\Guard\StaleBoundaries;
use FrequencyLimit\Polyfill\Guard\Store;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Time;

/** Keeps all states in the memory of this process. */
final class MemoryStore implements Store
{
    /** @var array<string, State> by the key's text */
    private array $states = [];
    private readonly Counters $counters;
    private readonly Sweep $sweep;

    /** @param string $name the name in Result::$store */
    public function __construct(private readonly string $name = 'shm')
    {
        $this->counters = new Counters();
        $this->sweep = new Sweep();
    }

    public function count(Key $key, CounterQuestion $q, bool $peek): Answer
    {
        $answer = $this->counters->decide($key->text(), $q, Time::now(), $peek);
        $answer->store = $this->name;
        return $answer;
    }

    public function command(Key $key, CounterCommand $c): bool
    {
        return $this->counters->command($key->text(), $c, Time::now());
    }

    public function ask(Key $key, Question $q): Answer
    {
        return $this->askTogether([$key], $q);
    }

    public function askTogether(array $keys, Question $q): Answer
    {
        $now = Time::now();
        $states = [];
        foreach ($keys as $key) {
            $states[$key->text()] = $this->states[$key->text()] ?? new State();
        }
        $answer = Decider::decide($q, array_values($states), $now, self::judged($q, $now));
        if ($answer->outcome === Outcome::STALE) {
            throw new StaleBoundaries($now->wall);
        }
        foreach ($states as $text => $state) {
            $this->keep((string) $text, $state, $now);
        }
        return $this->named($answer);
    }

    public function askMany(array $keys, Question $q): array
    {
        return array_map(fn (Key $key): Answer => $this->ask($key, $q), $keys);
    }

    public function isOneServer(): bool
    {
        return true;
    }

    public function wall(): int
    {
        return Time::wall();
    }

    public function isEmbedded(): bool
    {
        return true;
    }

    public function flush(): void
    {
        $this->states = [];
        $this->counters->flush();
    }

    private function named(Answer $answer): Answer
    {
        $answer->store = $this->name;
        return $answer;
    }

    /** Returns the moment that is judged. "Now" may have passed on the way here; what is cancelled may lie in the past. */
    private static function judged(Question $q, Now $now): int
    {
        return match ($q->op) {
            Op::RESERVE => max($now->mono, Time::booked($q->at, $now)),
            Op::CANCEL => Time::booked($q->at, $now),
            default => $now->mono,
        };
    }

    private function keep(string $text, State $state, Now $now): void
    {
        if ($state->isEmpty()) {
            unset($this->states[$text]);
            return;
        }
        $this->states[$text] = $state;
        if (\count($this->states) > $this->sweep->dueAt) {
            $this->sweep($now);
        }
    }

    /** Drops what has expired, and of too many states those that end next. */
    private function sweep(Now $now): void
    {
        $ends = [];
        foreach ($this->states as $text => $state) {
            $end = $state->expiresAt($now);
            if ($end <= $now->mono) {
                unset($this->states[$text]);
            } elseif (!$state->isBanned($now)) {
                $ends[$text] = $end;
            }
        }
        foreach ($this->sweep->evict($ends, \count($this->states)) as $text) {
            unset($this->states[$text]);
        }
    }
}
