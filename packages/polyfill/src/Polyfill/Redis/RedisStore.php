<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Guard\StaleBoundaries;
use FrequencyLimit\Polyfill\Guard\Store;
use FrequencyLimit\Polyfill\Guard\StoreFailure;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Time;

/** Keeps all states on Redis, by the keys and the scripts of the extension. */
final class RedisStore implements Store
{
    private readonly Topology $topology;
    /** Redis' clock minus the local one in microseconds, by the last answer. */
    private int $clockAhead = 0;

    public function __construct(Dsn $dsn, private readonly string $prefix, private readonly Timeouts $timeouts)
    {
        Script::check();
        $this->topology = match ($dsn->kind) {
            Dsn::SENTINEL => new SentinelTopology($dsn, $timeouts),
            Dsn::CLUSTER => new ClusterTopology($dsn, $timeouts),
            default => new SingleTopology($dsn, $timeouts),
        };
    }

    public function count(Key $key, CounterQuestion $q, bool $peek): Answer
    {
        $verb = $peek ? Request::PEEK : ($q->verdictOnly ? Request::COUNT : Request::TAKE);
        $answer = $this->counter($key, $q->limit, Request::counter($verb, $q));
        $answer->granted = $answer->accepted ? 1 : 0;
        return $answer;
    }

    public function command(Key $key, CounterCommand $c): bool
    {
        return $this->counter($key, 0, Request::command($c))->found;
    }

    private function counter(Key $key, int $limit, string $request): Answer
    {
        $read = static fn (mixed $reply, string $nonce): ?Reply => Reply::readCounter($reply, $nonce, $limit);
        $answer = $this->run(Script::COUNTER, [[$key]], $request, $read)[0];
        return $answer instanceof Answer ? $answer : throw $answer;
    }

    public function ask(Key $key, Question $q): Answer
    {
        $answer = $this->askMany([$key], $q)[0];
        return $answer instanceof Answer ? $answer : throw $answer;
    }

    public function askMany(array $keys, Question $q): array
    {
        return $this->askLimiter(array_map(static fn (Key $key): array => [$key], $keys), $q);
    }

    public function askTogether(array $keys, Question $q): Answer
    {
        $answer = $this->askLimiter([$keys], $q)[0];
        return $answer instanceof Answer ? $answer : throw $answer;
    }

    /**
     * @param list<non-empty-list<Key>> $keys those of each question
     * @return list<Answer|StoreFailure|StaleBoundaries>
     */
    private function askLimiter(array $keys, Question $q): array
    {
        $permit = Request::hasPermit($q);
        $read = static fn (mixed $reply, string $nonce): ?Reply => Reply::readLimiter($reply, $nonce, $q);
        $answers = $this->run(Script::LIMITER, $keys, Request::limiter($q), $read);
        foreach ($answers as $answer) {
            if ($answer instanceof Answer && !$permit) {
                $answer->granted = $answer->accepted ? $q->costOf($answer->index) : 0;
            }
        }
        return $answers;
    }

    public function isOneServer(): bool
    {
        return !$this->topology instanceof ClusterTopology;
    }

    public function prefix(): string
    {
        return $this->prefix;
    }

    /**
     * Returns the policy of a server that has a bound on its memory; null: it has none, or does not tell.
     *
     * @throws StoreFailure
     */
    public function evictionPolicy(): ?string
    {
        $reply = $this->topology->serverOfSlot(0)->send([['INFO', 'memory']])[0];
        $text = \is_string($reply) ? $reply : '';
        preg_match('/^maxmemory:(\d+)/m', $text, $bytes);
        preg_match('/^maxmemory_policy:([^\r\n]+)/m', $text, $policy);
        return (int) ($bytes[1] ?? 0) > 0 ? $policy[1] ?? null : null;
    }

    /** Returns the ways to the servers. */
    public function topology(): Topology
    {
        return $this->topology;
    }

    /**
     * @param list<non-empty-list<Key>>       $keys those of each question
     * @param \Closure(mixed, string): ?Reply $read
     * @return list<Answer|StoreFailure|StaleBoundaries>
     */
    private function run(string $script, array $keys, string $question, \Closure $read): array
    {
        $texts = array_map(fn (array $of): array => array_map(fn (Key $key): string => $this->prefix . $key->text(), $of), $keys);
        $call = new ScriptCall($this->topology, Script::get($script), $texts, $question, $read, $this->timeouts->replyMs);
        $answers = [];
        foreach ($call->run() as $reply) {
            $answers[] = $reply instanceof Reply ? $this->answerOf($reply) : $reply;
        }
        return $answers;
    }

    private function answerOf(Reply $reply): Answer|StaleBoundaries
    {
        if ($reply->now > 0) {
            $this->clockAhead = $reply->now - Time::trueWall();
        }
        if ($reply->answer->outcome === Outcome::STALE) {
            return new StaleBoundaries($reply->now);
        }
        $reply->answer->store = 'redis';
        return $reply->answer;
    }

    public function wall(): int
    {
        return Time::trueWall() + $this->clockAhead;
    }

    public function isEmbedded(): bool
    {
        return false;
    }
}
