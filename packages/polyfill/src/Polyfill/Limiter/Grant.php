<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limiter;

use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\Guard\Failures;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Time;
use FrequencyLimit\Result;
use FrequencyLimit\StoreException;

/** Holds a FrequencyLimit\Permit's decision, and its parts of the limits until it ends. */
final class Grant
{
    /** The moment of its turn on the monotonic clock; null: it has come. */
    public ?int $turn = null;
    private bool $isLive;
    /** A child process shares no permit with its parent. */
    private readonly int $process;
    private readonly string $store;
    public Result $result;
    /** The permit of the shadow limits. */
    private ?Grant $shadow = null;

    /** @param non-empty-list<Key> $keys */
    private function __construct(
        public readonly LimiterCore $limiter,
        private readonly array $keys,
        private readonly Answer $answer,
        Result $result,
    ) {
        $this->store = $limiter->guard()->id;
        $this->result = $result;
        $this->isLive = $answer->accepted;
        $this->process = (int) getmypid();
        if ($answer->accepted && $answer->wait > 0) {
            $this->turn = Time::mono() + $answer->wait;
        }
        if ($answer->accepted) {
            OpenGrants::add($this);
        }
    }

    /**
     * @param non-empty-list<Key> $keys
     * @param int|null            $caller the identity, if it is an int
     */
    public static function of(LimiterCore $limiter, array $keys, Answer $answer, ?int $caller): self
    {
        return new self($limiter, $keys, $answer, $limiter->result($answer, null, $caller));
    }

    /**
     * Acquires a permit of the shadow limits, whatever the others decided. A failure of it is no failure of the call.
     *
     * @param Question $q      the limiter's
     * @param int|null $caller the identity, if it is an int
     */
    public function acquireShadow(Question $q, ?int $caller): void
    {
        $shadow = $this->limiter->shadow;
        if ($shadow === null || $this->answer->store === LimiterCore::EXEMPT || $this->answer->passed) {
            return;
        }
        $keys = array_map(static fn (Key $key): Key => $key->in(Key::SHADOW), $this->keys);
        try {
            $answer = (new Acquirer($shadow, $shadow->guard(), $keys))->acquire($this->limiter->shadowQuestion($shadow, $q), 0);
        } catch (StoreException) {
            return;
        }
        $this->shadow = self::of($shadow, $keys, $answer, $caller);
        $this->answer->shadow = $answer->shadow;
        $this->result = $this->limiter->result($this->answer, null, $caller);
    }

    /** Makes what a permit has that no store has made. */
    public static function double(Result $result): self
    {
        $decision = Access::decision($result);
        return new self(LimiterCore::double($decision->policy()), [new Key(Key::LIMITER, '', '')], $decision->answer, $result);
    }

    public function isLive(): bool
    {
        return $this->isLive && $this->process === getmypid();
    }

    public function hasConcurrent(): bool
    {
        return $this->limiter->hasConcurrent;
    }

    /** Returns whether release() has something to do. */
    public function isReleasable(): bool
    {
        return $this->limiter->hasConcurrent || $this->shadow !== null;
    }

    public function isRenewable(): bool
    {
        return $this->limiter->hasConcurrent || $this->limiter->storeless !== null;
    }

    /** Ends the permit in this process. Returns false when it had ended. */
    public function close(): bool
    {
        $wasLive = $this->isLive();
        $this->isLive = false;
        return $wasLive;
    }

    /**
     * Returns whether no store has counted the permit: the failure policy admitted it, its identity is exempt, its limiter has no
     * store, or it is a refusal of limits that are not enforced.
     */
    private function isUncounted(): bool
    {
        return $this->answer->outcome === Outcome::STORE_UNAVAILABLE || $this->limiter->storeless !== null
            || $this->answer->store === LimiterCore::EXEMPT || $this->answer->passed;
    }

    /**
     * Changes what the permit holds, and the permit of the shadow limits. Returns null when its store is no longer the limiter's.
     *
     * @param int            $op    one of settle, release and renew of Op
     * @param list<int>|null $costs those of each limit
     * @throws StoreException
     */
    public function change(int $op, int $cost, int $renew = 0, ?array $costs = null): ?Answer
    {
        $answer = $this->changeOwn($op, $cost, $renew, $costs);
        if ($answer !== null) {
            $answer->shadow = null;
            $this->changeShadow($op, $cost, $renew);
        }
        return $answer;
    }

    /** The failures of a shadow are none of the call's. */
    private function changeShadow(int $op, int $cost, int $renew): void
    {
        if ($this->shadow === null || !$this->shadow->isLive()) {
            return;
        }
        if ($op !== Op::RENEW) {
            $this->shadow->close();
        }
        try {
            $this->shadow->changeOwn($op, $cost, $renew);
        } catch (StoreException) {
        }
    }

    /**
     * @param list<int>|null $costs
     * @throws StoreException
     */
    private function changeOwn(int $op, int $cost, int $renew, ?array $costs = null): ?Answer
    {
        if ($this->isUncounted()) {
            $answer = clone $this->answer;
            $answer->found = $op !== Op::RENEW || $this->limiter->storeless !== null;
            return $answer;
        }
        $guard = $this->limiter->guard();
        if ($guard->id !== $this->store) {
            return null;
        }
        Failures::checkClock($guard);
        $q = $this->question($op, $cost, $renew);
        $q->costs = $costs;
        if ($op === Op::SETTLE) {
            $this->limiter->setBoundaries($q, $guard->wall());
        }
        if (\count($this->keys) > 1) {
            $ask = fn (int $group, Question $part): Answer => $guard->change($this->answer->store, $this->keys[$group], $part);
            return $this->limiter->changeEach($this->keys, $q, $ask);
        }
        [$key] = $this->keys;
        return $this->limiter->again($key, $q, fn (): Answer => $guard->change($this->answer->store, $key, $q));
    }

    /** A question has copies of the limits: the limiter's own may be in use while a permit ends. */
    private function question(int $op, int $cost, int $renew): Question
    {
        $q = new Question($op, array_map(static fn (Rule $rule): Rule => clone $rule, $this->limiter->askedRules()), $cost);
        $q->renew = $renew;
        $q->held = $this->answer->held;
        return $q;
    }

    /**
     * Ends the permit with its true cost. Returns the state afterwards, or null.
     *
     * @param list<int>|null $costs those of each limit
     */
    public function settle(int $cost, ?array $costs): ?Result
    {
        $answer = $this->change(Op::SETTLE, $cost, 0, $costs);
        if ($answer === null) {
            return null;
        }
        $answer->granted = $costs[$answer->index] ?? $cost;
        $answer->wait = 0;
        return $this->limiter->result($answer);
    }

    /** Ends a permit of which no method has done so. A place whose end the store does not get ends by its seconds. */
    public function end(): void
    {
        $this->endOwn();
        $this->shadow?->endOwn();
    }

    private function endOwn(): void
    {
        if (!$this->close() || $this->isUncounted()) {
            return;
        }
        $cancels = $this->turn !== null && Time::mono() < $this->turn;
        try {
            if ($cancels || $this->hasConcurrent()) {
                $this->changeOwn($cancels ? Op::SETTLE : Op::RELEASE, 0, 0);
            }
        } catch (StoreException) {
        }
    }
}
