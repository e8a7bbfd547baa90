<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Held;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;

/** Reads the answer of a script. */
final class Reply
{
    private const FACTS_BYTES = 32;
    private const PERMIT_BYTES = 12;
    private const PART_BYTES = 20;
    private const LEVEL_BYTES = 2;
    /** -1, in seven bytes. */
    private const NEVER = (1 << 56) - 1;

    /** The server's wall clock in microseconds; 0 in an answer that is the nonce alone. */
    public int $now = 0;

    private function __construct(public readonly Answer $answer)
    {
    }

    /**
     * Returns null for a reply that does not answer the question with this nonce, or has another shape.
     *
     * @param string $nonce packed
     */
    public static function readCounter(mixed $reply, string $nonce, int $limit): ?self
    {
        $at = 0;
        $read = \is_string($reply) ? self::read($reply, $nonce, [new Rule(0, $limit)], $at) : null;
        return $read !== null && $at === \strlen($reply) ? $read : null;
    }

    /**
     * Does the same with the answer to a limiter's question. Of a permit's question, the cost that was counted and the wait follow,
     * and of an admitted call what the permit holds. It may end with the level.
     */
    public static function readLimiter(mixed $reply, string $nonce, Question $q): ?self
    {
        $at = 0;
        $read = \is_string($reply) ? self::read($reply, $nonce, $q->rules ?: [new Rule(0, 0)], $at) : null;
        if ($read === null || $reply === $nonce) {
            return $read;
        }
        $permit = Request::hasPermit($q);
        $held = $q->op === Op::ACQUIRE && $read->answer->outcome === Outcome::ACCEPTED ? \count($q->rules) : 0;
        $rest = \strlen($reply) - $at - ($permit ? self::PERMIT_BYTES + $held * self::PART_BYTES : 0);
        if (($rest !== 0 && $rest !== self::LEVEL_BYTES) || ($permit && !$read->readPermit($reply, $at, $q, $held))) {
            return null;
        }
        if ($rest === self::LEVEL_BYTES) {
            $read->answer->level = Wire::get($reply, $at, self::LEVEL_BYTES);
        }
        return $read;
    }

    /**
     * Reads what all answers have.
     *
     * @param non-empty-list<Rule> $limits
     * @param int                  $at     is set behind it
     */
    private static function read(string $reply, string $nonce, array $limits, int &$at): ?self
    {
        if (!str_starts_with($reply, $nonce)) {
            return null;
        }
        $at = Wire::NONCE_BYTES;
        if ($reply === $nonce) {
            return new self(new Answer(Outcome::ACCEPTED, 0, $limits[0]->limit, 0, 0, 0));
        }
        if (\strlen($reply) < $at + self::FACTS_BYTES) {
            return null;
        }
        $now = Wire::get($reply, $at, 7);
        $outcome = Wire::get($reply, $at, 1);
        $index = Wire::get($reply, $at, 1);
        $remaining = Wire::get($reply, $at, Request::NUMBER_BYTES);
        $retry = Wire::get($reply, $at, 7);
        $reset = Wire::get($reply, $at, 7);
        $found = Wire::get($reply, $at, 4);
        if ($now <= 0 || ($outcome > Outcome::TOO_EXPENSIVE && $outcome !== Outcome::STALE) || !isset($limits[$index]) || $found > 1) {
            return null;
        }
        $read = new self(new Answer(
            $outcome,
            $index,
            $limits[$index]->limit,
            min($remaining, $limits[$index]->limit),
            $retry === self::NEVER ? Answer::NEVER : $retry,
            $reset,
        ));
        $read->now = $now;
        $read->answer->found = $found === 1;
        return $read;
    }

    private function readPermit(string $reply, int &$at, Question $q, int $parts): bool
    {
        $this->answer->granted = Wire::get($reply, $at, Request::NUMBER_BYTES);
        $this->answer->wait = Wire::get($reply, $at, 7);
        for ($i = 0; $i < $parts; $i++) {
            $tag = Wire::get($reply, $at, 6);
            $place = Wire::get($reply, $at, 7);
            $this->answer->held[] = new Held($tag, $place, Wire::get($reply, $at, 7), $q->costs[$i] ?? $this->answer->granted);
        }
        return $this->answer->wait <= Bounds::PERIOD_MAX_US && $this->answer->granted <= Bounds::LIMIT_MAX;
    }
}
