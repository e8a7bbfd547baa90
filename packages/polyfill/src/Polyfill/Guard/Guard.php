<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Memory\MemoryStore;
use FrequencyLimit\Polyfill\Redis\RedisStore;
use FrequencyLimit\Polyfill\Warnings;

/** Asks a store, and decides by ratelimit.on_failure where it has no answer. */
final class Guard
{
    /**
     * @param string $id           the place of the store's counts: two stores share one if they have the same
     * @param int    $retryDelayMs until a failed server gets the next request
     */
    public function __construct(
        public readonly string $id,
        private readonly Store $store,
        private readonly ?Breaker $breaker,
        private readonly FailurePolicy $policy,
        private readonly int $retryDelayMs = 0,
    ) {
    }

    /** Returns a guard of the same store and breaker. */
    public function withPolicy(FailurePolicy $policy): self
    {
        return new self($this->id, $this->store, $this->breaker, $policy, $this->retryDelayMs);
    }

    /** Returns the store on Redis, or null. */
    public function redis(): ?RedisStore
    {
        return $this->store instanceof RedisStore ? $this->store : null;
    }

    public function isEmbedded(): bool
    {
        return $this->store->isEmbedded();
    }

    /** Returns the store's wall clock in microseconds, as far as it is known without a request. */
    public function wall(): int
    {
        return $this->store->wall();
    }

    /** @throws StoreFailure */
    public function count(Key $key, CounterQuestion $q, bool $peek): Answer
    {
        try {
            return $this->attempt(fn (): Answer => $this->store->count($key, $q, $peek));
        } catch (StoreFailure $e) {
            if (!$this->policy->appliesTo($e)) {
                throw $e;
            }
        }
        if ($this->policy === FailurePolicy::Local) {
            return $this->fallback()->count($key, $q, $peek);
        }
        $answer = $this->policyAnswer($q->limit);
        $answer->granted = $answer->accepted ? 1 : 0;
        return $answer;
    }

    /** @throws StoreFailure */
    public function command(Key $key, CounterCommand $c): bool
    {
        try {
            return $this->attempt(fn (): bool => $this->store->command($key, $c));
        } catch (StoreFailure $e) {
            if ($this->policy === FailurePolicy::Local && $this->policy->appliesTo($e)) {
                $this->fallback()->command($key, $c);
                throw self::onlyHere($e);
            }
            throw $e;
        }
    }

    /**
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    public function ask(Key $key, Question $q): Answer
    {
        try {
            return $this->attempt(fn (): Answer => $this->store->ask($key, $q));
        } catch (StoreFailure $e) {
            return $this->applyPolicy($e, [$key], $q);
        }
    }

    /**
     * Answers acquire or peek about limits with identities of their own.
     *
     * @param non-empty-list<Key> $keys by Rule::$identity
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    public function askTogether(array $keys, Question $q): Answer
    {
        try {
            if (!$this->store->isOneServer()) {
                return (new Together($this->store, $keys, $q))->decide();
            }
            return $this->attempt(fn (): Answer => $this->store->askTogether($keys, $q));
        } catch (StoreFailure $e) {
            return $this->applyPolicy($e, $keys, $q);
        }
    }

    /**
     * @param list<Key> $keys
     * @return list<Answer|StoreFailure|StaleBoundaries>
     */
    public function askMany(array $keys, Question $q): array
    {
        try {
            $this->breaker?->begin();
            $answers = $this->store->askMany($keys, $q);
            $this->recordMany($answers);
        } catch (StoreFailure $e) {
            $answers = array_fill(0, \count($keys), $e);
        }
        foreach ($answers as $i => $answer) {
            if ($answer instanceof StoreFailure) {
                try {
                    $answers[$i] = $this->applyPolicy($answer, [$keys[$i]], $q);
                } catch (StoreFailure|StaleBoundaries $e) {
                    $answers[$i] = $e;
                }
            }
        }
        return array_values($answers);
    }

    /** @param list<Answer|StoreFailure|StaleBoundaries> $answers */
    private function recordMany(array $answers): void
    {
        $failure = null;
        $answered = false;
        foreach ($answers as $answer) {
            if ($answer instanceof StoreFailure) {
                $failure ??= $answer;
                $answered = $answered || $answer->questionOnly || $answer->status === StoreFailure::WRONG_TYPE;
            } elseif ($answer instanceof Answer) {
                $answered = true;
            }
        }
        /* A server is not away if it answered some keys, and the time was too short for the others. */
        $this->breaker?->end($answered && $failure?->status === StoreFailure::UNAVAILABLE ? null : $failure, $this->retryDelayMs);
    }

    /**
     * Changes what a permit holds, where it is held.
     *
     * @param string $from Result::$store of the acquire
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    public function change(string $from, Key $key, Question $q): Answer
    {
        if ($from === 'local') {
            return $this->fallback()->ask($key, $q);
        }
        return $this->attempt(fn (): Answer => $this->store->ask($key, $q));
    }

    /**
     * Sends a request, if the breaker allows it, and records how it went.
     *
     * @template T of Answer|bool
     * @param \Closure(): T $ask
     * @return T
     * @throws StoreFailure
     */
    private function attempt(\Closure $ask): mixed
    {
        if ($this->store->isEmbedded()) {
            return $ask();
        }
        $this->breaker?->begin();
        try {
            $answer = $ask();
        } catch (StoreFailure $e) {
            $this->breaker?->end($e, $this->retryDelayMs);
            throw $e;
        } catch (StaleBoundaries $e) {
            $this->breaker?->end();
            throw $e;
        }
        $this->breaker?->end();
        return $answer;
    }

    private function fallback(): MemoryStore
    {
        Warnings::limitation('Redis is unavailable, and ratelimit.on_failure=local decides by the memory of this process alone: '
            . 'other processes of this machine do not share it, as they do with the extension ratelimit');
        return Guards::fallback($this->id);
    }

    /**
     * @param non-empty-list<Key> $keys
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    private function applyPolicy(StoreFailure $e, array $keys, Question $q): Answer
    {
        if (!$this->policy->appliesTo($e)) {
            throw $e;
        }
        $isDecision = Op::isDecision($q->op);
        if ($this->policy === FailurePolicy::Local) {
            $answer = $this->fallback()->askTogether($keys, $q);
            if (!$isDecision) {
                throw self::onlyHere($e);
            }
            return $answer;
        }
        if (!$isDecision) {
            throw $e;
        }
        $answer = $this->tooExpensive($q) ?? $this->policyAnswer($q->rules[0]->limit);
        $answer->granted = $answer->accepted ? self::policyGranted($q) : 0;
        $answer->store = 'redis';
        return $answer;
    }

    /** Decides without a count. */
    private function policyAnswer(int $limit): Answer
    {
        $accepted = $this->policy === FailurePolicy::Allow;
        $retry = $accepted ? 0 : $this->retryDelayMs * 1000;
        $answer = new Answer(Outcome::STORE_UNAVAILABLE, 0, $limit, $accepted ? $limit : 0, $retry, $retry);
        $answer->accepted = $accepted;
        $answer->store = 'redis';
        return $answer;
    }

    /** Refuses a cost above a limit: it can never pass, in any store. */
    private function tooExpensive(Question $q): ?Answer
    {
        foreach ($q->rules as $i => $rule) {
            $cost = $q->costs[$i] ?? ($q->atLeast > 0 ? $q->atLeast : $q->cost);
            if ($cost > 0 && $cost + $q->leave > $rule->limit) {
                $remaining = $this->policy === FailurePolicy::Allow ? min($q->rules[0]->limit, $rule->limit) : 0;
                return new Answer(Outcome::TOO_EXPENSIVE, $i, $rule->limit, $remaining, Answer::NEVER, 0);
            }
        }
        return null;
    }

    /** Returns the cost of a call that passes: all of it, or the part that the limits allow at the most. */
    private static function policyGranted(Question $q): int
    {
        $limits = array_map(static fn (Rule $rule): int => $rule->limit - $q->leave, $q->atLeast > 0 ? $q->rules : []);
        return min($q->costOf(0), ...$limits, ...[PHP_INT_MAX]);
    }

    /** The command took effect in the fallback only. So it ends with the outage, and is not done. */
    private static function onlyHere(StoreFailure $e): StoreFailure
    {
        return new StoreFailure(
            'not done in Redis, only on this machine until Redis is back: ' . substr($e->getMessage(), 0, 180),
            $e->status,
            $e->questionOnly,
        );
    }
}
