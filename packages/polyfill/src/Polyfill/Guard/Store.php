<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Key;

/** A store takes each decision in one step, by its own clock. */
interface Store
{
    /**
     * Decides a call of doHandle() or check(). $peek: counts nothing.
     *
     * @throws StoreFailure
     */
    public function count(Key $key, CounterQuestion $q, bool $peek): Answer;

    /**
     * Carries a command out on a counter. Returns whether there was one that had not ended, or of unban a ban; of ban false.
     *
     * @throws StoreFailure
     */
    public function command(Key $key, CounterCommand $c): bool;

    /**
     * Answers a limiter's question.
     *
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    public function ask(Key $key, Question $q): Answer;

    /**
     * Answers the same question for many keys, each on its own. An element is the exception where there is no answer.
     *
     * @param list<Key> $keys
     * @return list<Answer|StoreFailure|StaleBoundaries>
     */
    public function askMany(array $keys, Question $q): array;

    /**
     * Answers acquire or peek about the states of several keys, of limits with identities of their own.
     *
     * @param non-empty-list<Key> $keys by Rule::$identity
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    public function askTogether(array $keys, Question $q): Answer;

    /** Returns whether one server has all keys. */
    public function isOneServer(): bool;

    /** Returns the store's wall clock in microseconds, as far as it is known without a request. */
    public function wall(): int;

    /** Returns whether the store is the memory of this process, whose clock can be frozen. */
    public function isEmbedded(): bool;
}
