<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Held;
use FrequencyLimit\Polyfill\Core\Left;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;

/** Reads the answer of a script. */
final class Reply
{
    private const FACTS_BYTES = 20;
    private const PERMIT_BYTES = 12;
    private const PART_BYTES = 20;
    private const LEFT_BYTES = 12;
    private const KEY_BYTES = 16;
    /** Of a counter's admission: what remains, and the milliseconds until the window's end. */
    private const SHORT_BYTES = 10;
    /** -1, in seven bytes. */
    private const NEVER = (1 << 56) - 1;

    /** The server's wall clock in microseconds; 0 in the short answer of a counter's admission. */
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
        if (\is_string($reply) && \strlen($reply) === \strlen($nonce) + self::SHORT_BYTES && str_starts_with($reply, $nonce)) {
            $at = \strlen($nonce);
            $remaining = Wire::get($reply, $at, 3);
            $reset = min(Wire::get($reply, $at, 7), Bounds::PERIOD_MAX_US) * 1000;
            return new self(new Answer(Outcome::ACCEPTED, 0, $limit, min($remaining, $limit), $remaining > 0 ? 0 : $reset, $reset));
        }
        $read = \is_string($reply) ? self::read($reply, $nonce, [new Rule(0, $limit)], $at) : null;
        if ($read === null || \strlen($reply) !== $at + self::LEFT_BYTES) {
            return null;
        }
        $read->readRemaining($reply, $at);
        return $read;
    }

    /**
     * Does the same with the answer to a limiter's question. What each limit has left may follow, and then the bans and the levels of the
     * keys. At the end are, of a permit's question, the cost that was counted and the wait, and of an admitted call what the permit holds.
     */
    public static function readLimiter(mixed $reply, string $nonce, Question $q): ?self
    {
        $at = 0;
        $read = \is_string($reply) ? self::read($reply, $nonce, $q->rules ?: [new Rule(0, 0)], $at) : null;
        if ($read === null) {
            return null;
        }
        $permit = Request::hasPermit($q);
        $n = \count($q->rules);
        $held = $q->op === Op::ACQUIRE && $read->answer->outcome === Outcome::ACCEPTED ? $n : 0;
        $permitAt = \strlen($reply) - ($permit ? self::PERMIT_BYTES + $held * self::PART_BYTES : 0);
        /* A usual decision about several limits: what its limit has left says what remains. */
        $usual = $n > 1 && $permitAt - $at === self::LEFT_BYTES * $n;
        if (!$usual) {
            if ($permitAt - $at < self::LEFT_BYTES) {
                return null;
            }
            $read->readRemaining($reply, $at);
        }
        if (!$read->readLeft(substr($reply, $at, $permitAt - $at), $q)
            || ($permit && !$read->readPermit($reply, $permitAt, $q, $held))) {
            return null;
        }
        if ($usual) {
            $own = $read->answer->left[$read->answer->index];
            [$read->answer->remaining, $read->answer->reset] = [$own->remaining, $own->reset];
        }
        return $read;
    }

    private function readRemaining(string $reply, int &$at): void
    {
        $this->answer->remaining = min($this->answer->limit, Wire::get($reply, $at, Request::NUMBER_BYTES));
        $this->answer->reset = Wire::get($reply, $at, 7);
    }

    private function readLeft(string $bytes, Question $q): bool
    {
        $answer = $this->answer;
        $n = \count($q->rules);
        $decides = $n > 0 && Op::decides($q->op) && $answer->outcome !== Outcome::STALE;
        if ($bytes === '') {
            $answer->left = $decides ? [new Left($answer->remaining, $answer->reset)] : [];
            return !$decides || $n === 1;
        }
        $at = 0;
        $ofKeys = self::LEFT_BYTES * $n;
        $keys = 1 + max([0, ...array_map(static fn (Rule $rule): int => $rule->identity, $q->rules)]);
        if (!$decides || !\in_array(\strlen($bytes), [$ofKeys, $ofKeys + $keys * self::KEY_BYTES], true)) {
            return false;
        }
        foreach ($q->rules as $rule) {
            $remaining = min($rule->limit, Wire::get($bytes, $at, Request::NUMBER_BYTES));
            $reset = Wire::get($bytes, $at, 7);
            $ofKey = $ofKeys + $rule->identity * self::KEY_BYTES;
            $answer->left[] = \strlen($bytes) === $ofKeys ? new Left($remaining, $reset)
                : new Left($remaining, $reset, Wire::get($bytes, $ofKey, 7), Wire::get($bytes, $ofKey, 2), Wire::get($bytes, $ofKey, 7));
        }
        $answer->level = $answer->left[$answer->index]->level;
        return true;
    }

    /**
     * Reads what all answers begin with.
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
        if (\strlen($reply) < $at + self::FACTS_BYTES) {
            return null;
        }
        $now = Wire::get($reply, $at, 7);
        $outcome = Wire::get($reply, $at, 1);
        $index = Wire::get($reply, $at, 1);
        $retry = Wire::get($reply, $at, 7);
        $found = Wire::get($reply, $at, 4);
        if ($now <= 0 || ($outcome > Outcome::TOO_EXPENSIVE && $outcome !== Outcome::STALE) || !isset($limits[$index]) || $found > 1) {
            return null;
        }
        $read = new self(new Answer(
            $outcome,
            $index,
            $limits[$index]->limit,
            0,
            $retry === self::NEVER ? Answer::NEVER : $retry,
            0,
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
