<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Guard\Guard;
use FrequencyLimit\Polyfill\Guard\Guards;
use FrequencyLimit\Polyfill\Guard\Store;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Memory\MemoryStore;
use FrequencyLimit\Polyfill\Settings;

/** The memory of the process in the place of a cluster: each state is decided in one step, and several states in turn. */
final class TurnStore implements Store
{
    /** @var (\Closure(Key, Question): void)|null called before each question about one key */
    public ?\Closure $before = null;

    public function __construct(private readonly MemoryStore $store)
    {
    }

    /** Lets the limiters of this process decide by such a store, until a setting changes. */
    public static function install(): self
    {
        Guards::of(Settings::EMBEDDED);
        $store = new self(Guards::memory());
        $guard = new Guard(Settings::EMBEDDED, $store, null, Settings::get()->onFailure);
        (static function () use ($guard): void {
            self::$guards[Settings::EMBEDDED] = $guard;
        })->bindTo(null, Guards::class)();
        return $store;
    }

    public function count(Key $key, CounterQuestion $q, bool $peek): Answer
    {
        return $this->store->count($key, $q, $peek);
    }

    public function command(Key $key, CounterCommand $c): bool
    {
        return $this->store->command($key, $c);
    }

    public function ask(Key $key, Question $q): Answer
    {
        $this->before !== null && ($this->before)($key, $q);
        return $this->store->ask($key, $q);
    }

    public function askMany(array $keys, Question $q): array
    {
        return $this->store->askMany($keys, $q);
    }

    public function askTogether(array $keys, Question $q): Answer
    {
        throw new \LogicException('Several servers have these keys');
    }

    public function isOneServer(): bool
    {
        return false;
    }

    public function wall(): int
    {
        return $this->store->wall();
    }

    public function isEmbedded(): bool
    {
        return true;
    }
}
