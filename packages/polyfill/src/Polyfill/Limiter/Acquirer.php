<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limiter;

use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Guard\Guard;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Time;
use FrequencyLimit\StoreException;

/** Asks for a permit until the call passes, or cannot pass within its time. */
final class Acquirer
{
    /** The pauses between two questions about a concurrent place: they grow from the first one to the last. */
    private const PAUSE_FIRST_US = 1_000;
    private const PAUSE_LAST_US = 50_000;

    private static int $number = 0;
    private static int $process = 0;

    /** @param non-empty-list<Key> $keys */
    public function __construct(private readonly LimiterCore $limiter, private readonly Guard $guard, private readonly array $keys)
    {
    }

    /** Returns the number of a new permit: even, and unique among all that have a part in the same limit state. */
    public static function number(): int
    {
        $process = (int) getmypid();
        if (self::$process !== $process) {
            self::$process = $process;
            self::$number = 2 * random_int(0, Bounds::TAG_MAX >> 1);
        }
        self::$number = (self::$number + 2) & Bounds::TAG_MAX ?: 2;
        return self::$number;
    }

    /** @throws StoreException */
    public function acquire(Question $q, int $maxWait): Answer
    {
        $q->number = self::number();
        $q->maxWait = $maxWait;
        if ($maxWait === 0 || !$this->limiter->hasConcurrent) {
            return $this->limiter->ask($this->guard, $this->keys, $q);
        }
        $end = Time::mono() + $maxWait;
        for ($pause = self::PAUSE_FIRST_US;; $pause = min(2 * $pause, self::PAUSE_LAST_US)) {
            $answer = $this->limiter->ask($this->guard, $this->keys, $q);
            $now = Time::mono();
            if ($answer->accepted || $now >= $end || !$this->mayGetPlace($answer, $end - $now)) {
                return $answer;
            }
            $next = min($now + intdiv($pause, 2) + random_int(0, $pause - 1), $end);
            if (!Time::sleepUntil($next)) {
                return $answer; /* a signal */
            }
            $q->maxWait = $end - $next;
        }
    }

    /** Returns whether a place that comes free may let the refused call pass within the time left. */
    private function mayGetPlace(Answer $answer, int $left): bool
    {
        return $answer->outcome === Outcome::LIMITED
            && ($this->limiter->rules[$answer->index]->algorithm === Algorithm::CONCURRENT || $answer->retry <= $left);
    }
}
