<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limiter;

use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Mark;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\Guard\Failures;
use FrequencyLimit\Polyfill\Guard\Guard;
use FrequencyLimit\Polyfill\Guard\Guards;
use FrequencyLimit\Polyfill\Guard\Part;
use FrequencyLimit\Polyfill\Guard\StaleBoundaries;
use FrequencyLimit\Polyfill\Guard\StoreFailure;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Limit\LimitData;
use FrequencyLimit\Polyfill\Limit\LimitText;
use FrequencyLimit\Polyfill\Limit\Policy;
use FrequencyLimit\Polyfill\Named\NamedLimiter;
use FrequencyLimit\Polyfill\Result\Decision;
use FrequencyLimit\Polyfill\Result\Listener;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Result;
use FrequencyLimit\StoreException;

/** Holds the limits of a FrequencyLimit\Limiter, and asks their store: for the limiter and for its permits. */
final class LimiterCore
{
    /** A clock that passes a boundary in each of so many calls jumps. */
    private const STALE_MAX = 3;
    /** Result::$store of a decision about an identity that the file exempts, or refuses. */
    public const EXEMPT = 'exempt';
    private const REFUSE = 'refuse';

    /** @var list<Rule> the numbers of the limits */
    public readonly array $rules;
    /** @var \WeakMap<self, list<Rule>>|null with the boundaries of the latest question: no property, so that a limiter that has decided equals (==) one that has not */
    private static ?\WeakMap $asked = null;
    public readonly bool $hasConcurrent;
    private readonly bool $needsNow;

    /** Of a limiter without limits: what its decisions have in place of one. */
    public readonly ?Policy $storeless;
    /** @var list<string> the labels of the limits' identities, in the order of their first limits */
    public readonly array $labels;

    /**
     * @param list<LimitData> $limits none: every call passes, without a store
     * @param Policy|null     $storeless required without limits
     * @param LimiterCore|null $shadow   of the shadow limits beside these
     * @param bool            $isShadow  all limits are shadows: their refusals pass
     * @param list<array{?string, ?string}> $nones name and label of each Limit::none(): calls may bring a cost and an identity for it
     * @param bool $isBeside of the shadow limits beside others: its decisions are not counted
     */
    public function __construct(
        public readonly string $name,
        public readonly array $limits,
        #[\SensitiveParameter] private readonly ?string $dsn,
        ?Policy $storeless = null,
        public readonly ?NamedLimiter $named = null,
        public readonly ?LimiterCore $shadow = null,
        public readonly bool $isShadow = false,
        private readonly array $nones = [],
        public readonly bool $isBeside = false,
    ) {
        $this->storeless = $limits ? null : $storeless ?? new Policy(null, Bounds::LIMIT_MAX, Policy::NO_WINDOW);
        $this->rules = array_map(static fn (LimitData $limit): Rule => clone $limit->rule, $limits);
        $this->hasConcurrent = (bool) array_filter($this->rules, static fn (Rule $rule): bool => $rule->algorithm === Algorithm::CONCURRENT);
        $this->needsNow = (bool) array_filter($limits, static fn (LimitData $limit): bool => $limit->needsNow());
        $this->labels = array_values(array_unique(array_filter(array_map(static fn (LimitData $limit): ?string => $limit->by, $limits), is_string(...))));
        foreach ($this->labels ? $this->rules : [] as $i => $rule) {
            $rule->identity = (int) array_search($limits[$i]->by, $this->labels, true);
        }
        Mark::set($this->rules, array_column($limits, 'name'), array_column($limits, 'zone'));
    }

    /** @return list<Rule> for a question: those with boundaries of a clock are copies, which keep the boundaries */
    public function askedRules(): array
    {
        if (!$this->needsNow) {
            return $this->rules;
        }
        self::$asked ??= new \WeakMap();
        return self::$asked[$this] ??= array_map(static fn (Rule $rule): Rule => clone $rule, $this->rules);
    }

    /** Returns whether there is a Limit::none() of this name, or of this label. */
    public function hasNone(?string $name, ?string $label): bool
    {
        foreach ($this->nones as [$ownName, $ownLabel]) {
            if (($name !== null && $ownName === $name) || ($label !== null && $ownLabel === $label)) {
                return true;
            }
        }
        return false;
    }

    /** Makes the limiter of a permit that no store has made. */
    public static function double(Policy $policy): self
    {
        return new self('Permit::of()', [], null, $policy);
    }

    public function guard(): Guard
    {
        return Guards::of($this->storeless !== null ? Settings::EMBEDDED : $this->dsn, $this->named?->policy);
    }

    /** Returns the same limits as those of a limiter of the file of ratelimit.limiters. */
    public function of(NamedLimiter $named): self
    {
        return new self($this->name, $this->limits, $this->dsn, null, $named, $this->shadow, $this->isShadow, $this->nones, $this->isBeside);
    }

    /**
     * Returns the answer about an identity that the file exempts, for which nothing counts and everything passes, or that it refuses.
     * Null: the store is asked.
     */
    private function answerListed(Key $key, Question $q): ?Answer
    {
        if ($this->named === null || !Op::isDecision($q->op)) {
            return null;
        }
        $limit = $q->rules[0]->limit;
        if ($this->named->exempt->has($key->id)) {
            $answer = new Answer(Outcome::ACCEPTED, 0, $limit, $limit, 0, 0);
            $answer->store = self::EXEMPT;
            $answer->found = true;
            $answer->granted = $q->cost;
            return $answer;
        }
        if (!$this->named->refuse->has($key->id)) {
            return null;
        }
        $answer = new Answer(Outcome::BANNED, 0, $limit, 0, Bounds::PERIOD_MAX_US, Bounds::PERIOD_MAX_US);
        $answer->store = self::REFUSE;
        $this->pass($q, $answer);
        return $answer;
    }

    /** Answers without a store: the call passes, and nothing is kept. */
    private static function answerStoreless(Policy $policy, Question $q): Answer
    {
        $answer = new Answer(Outcome::ACCEPTED, 0, $policy->limit, $policy->limit, 0, 0);
        $answer->granted = $q->cost;
        return $answer;
    }

    public function key(int|string $id): Key
    {
        return new Key($this->isShadow ? Key::SHADOW : Key::LIMITER, $this->name, $id);
    }

    public function keyOfLabel(int $label, int|string $id): Key
    {
        return new Key(Key::LABEL, "{$this->labels[$label]}\0$this->name", $id);
    }

    /**
     * Sets the boundaries of the clock's windows in the limits of a question.
     *
     * @param int $now in microseconds of the wall clock
     */
    public function setBoundaries(Question $q, int $now): void
    {
        foreach ($this->needsNow ? $this->limits : [] as $i => $limit) {
            $limit->setBoundaries($q->rules[$i], Op::isBooking($q->op) ? $q->at : $now, $now);
        }
    }

    /**
     * @param non-empty-list<Key> $keys one, or one for each label
     * @throws StoreException
     */
    public function ask(Guard $guard, array $keys, Question $q): Answer
    {
        $answer = $this->storeless === null ? $this->answerListed($keys[0], $q) ?? $this->askStore($guard, $keys, $q) : self::answerStoreless($this->storeless, $q);
        if ($q->op !== Op::ACQUIRE && $answer->store !== self::EXEMPT) {
            Listener::limiter($this, $keys, $q, $answer);
        }
        return $answer;
    }

    /**
     * @param non-empty-list<Key> $keys
     * @throws StoreException
     */
    private function askStore(Guard $guard, array $keys, Question $q): Answer
    {
        [$key] = $keys;
        $this->setBoundaries($q, $this->needsNow ? $guard->wall() : 0);
        try {
            $answer = \count($keys) > 1 ? $this->askTogether($guard, $keys, $q)
                : $this->again($key, $q, static fn (): Answer => $guard->ask($key, $q));
        } catch (StoreException $e) {
            throw $e;
        }
        if ($this->shadow !== null && $this->shadow->takesPart($q->op)) {
            $this->judgeShadow($this->shadow, [$key], $q, [$answer]);
        }
        $this->pass($q, $answer);
        return $answer;
    }

    /**
     * Asks about limits with identities of their own. A consume takes the parts of their states as a permit, so that those of earlier
     * ones go back by its number if a later one refuses.
     *
     * @param non-empty-list<Key> $keys
     * @throws StoreException
     */
    private function askTogether(Guard $guard, array $keys, Question $q): Answer
    {
        if ($q->op === Op::CREDIT) {
            $ask = static fn (int $group, Question $part): Answer => $guard->ask($keys[$group], $part);
            return $this->changeEach($keys, $q, $ask);
        }
        $asked = $q;
        if ($q->op === Op::CONSUME) {
            $asked = clone $q;
            $asked->op = Op::ACQUIRE;
            $asked->number = Acquirer::number();
        }
        return $this->again($keys[0], $asked, static fn (): Answer => $guard->askTogether($keys, $asked));
    }

    /**
     * Changes each state in turn. Returns the answer of all: by the limit with the least left, and found if all were.
     *
     * @param non-empty-list<Key>            $keys
     * @param \Closure(int, Question): Answer $ask
     * @throws StoreException the first one, after all states
     */
    public function changeEach(array $keys, Question $q, \Closure $ask): Answer
    {
        $all = null;
        $failure = null;
        $next = 0;
        $found = true;
        foreach ($keys as $group => $key) {
            try {
                $answer = $this->again($key, $q, static function () use ($ask, $group, $q): Answer {
                    $part = new Part($q, $group, $q->op, true);
                    return $part->named($ask($group, $part->question));
                });
            } catch (StoreException $e) {
                $failure ??= $e;
                continue;
            }
            $found = $found && $answer->found;
            $next = max($next, $answer->retry);
            $isTighter = $all === null || $answer->remaining < $all->remaining || ($answer->remaining === $all->remaining && $answer->index < $all->index);
            $all = $isTighter ? $answer : $all;
        }
        if ($failure !== null) {
            throw $failure;
        }
        /** @var Answer $all there is a key */
        $all->retry = $next;
        $all->granted = $q->costOf($all->index);
        $all->wait = 0;
        $all->found = $found;
        return $all;
    }

    /**
     * Asks unban(), reset() or ban() about the state of a label, or of the one identity.
     *
     * @throws StoreException
     */
    public function command(Guard $guard, int $label, Key $key, Question $q): Answer
    {
        if (\count($this->labels) <= 1) {
            return $this->ask($guard, [$key], $q);
        }
        $part = (new Part($q, $label, $q->op, true))->question;
        return $this->again($key, $q, static fn (): Answer => $guard->ask($key, $part));
    }

    /** Returns whether shadow limits have a part in a question of this kind. A permit has a permit of theirs. */
    private function takesPart(int $op): bool
    {
        if ($op === Op::ACQUIRE || $op === Op::BAN || $op === Op::UNBAN) {
            return false;
        }
        foreach (Op::isBooking($op) ? $this->rules : [] as $rule) {
            if ($rule->algorithm !== Algorithm::CALENDAR_WINDOW && $rule->algorithm !== Algorithm::SLIDING_LOG) {
                return false;
            }
        }
        return true;
    }

    /** Returns the limiter's question for the shadow limits beside it. */
    public function shadowQuestion(LimiterCore $shadow, Question $q): Question
    {
        $ofShadow = new Question($q->op, $shadow->askedRules(), $q->cost);
        $ofShadow->at = $q->at;
        return $ofShadow;
    }

    /**
     * Asks the shadow limits the limiter's question. A failure of it is no failure of the call.
     *
     * @param non-empty-list<Key> $keys
     * @param list<Answer>        $answers of the limiter, to the same keys
     */
    private function judgeShadow(LimiterCore $shadow, array $keys, Question $q, array $answers): void
    {
        $ofShadow = $this->shadowQuestion($shadow, $q);
        $keys = array_map(static fn (Key $key): Key => $key->in(Key::SHADOW), $keys);
        try {
            $guard = $shadow->guard();
            $judged = \count($keys) === 1 ? [$shadow->ask($guard, $keys, $ofShadow)] : $shadow->askMany($guard, $keys, $ofShadow);
        } catch (StoreException) {
            return;
        }
        foreach ($answers as $i => $answer) {
            $answer->shadow = $judged[$i]->shadow;
        }
    }

    /** Lets a refused decision pass, if no limit is enforced. */
    private function pass(Question $q, Answer $answer): void
    {
        if ($answer->accepted || (!$this->isShadow && Settings::get()->enforce) || !Op::isDecision($q->op)) {
            return;
        }
        $limit = $this->limits[$answer->index];
        $answer->pass($q->costOf($answer->index), $answer->outcome === Outcome::STORE_UNAVAILABLE ? null : $limit->name ?? LimitText::write($limit));
    }

    /**
     * Asks, and asks again while the boundaries of a clock's windows are over.
     *
     * @param \Closure(): Answer $ask
     * @throws StoreException
     */
    public function again(Key $key, Question $q, \Closure $ask): Answer
    {
        for ($tries = 0;; $tries++) {
            try {
                return $ask();
            } catch (StaleBoundaries $e) {
                if ($tries === self::STALE_MAX) {
                    throw Failures::of($e, $key);
                }
                $this->setBoundaries($q, $e->wall);
            } catch (StoreFailure $e) {
                throw Failures::of($e, $key);
            }
        }
    }

    /**
     * @param list<Key> $keys
     * @return list<Answer>
     * @throws StoreException
     */
    public function askMany(Guard $guard, array $keys, Question $q): array
    {
        if ($this->storeless !== null) {
            $answer = self::answerStoreless($this->storeless, $q);
            foreach ($keys as $key) {
                Listener::limiter($this, [$key], $q, $answer);
            }
            return array_map(static fn (): Answer => $answer, $keys);
        }
        $listed = array_filter(array_map(fn (Key $key): ?Answer => $this->answerListed($key, $q), $keys));
        if ($listed) {
            $others = array_diff_key($keys, $listed);
            $asked = $others ? array_combine(array_keys($others), $this->askOthers($guard, array_values($others), $q)) : [];
            foreach ($listed as $i => $answer) {
                $answer->store === self::REFUSE && Listener::limiter($this, [$keys[$i]], $q, $answer);
            }
            $answers = $listed + $asked;
            ksort($answers);
            return array_values($answers);
        }
        return $this->askOthers($guard, $keys, $q);
    }

    /**
     * Asks the store.
     *
     * @param list<Key> $keys
     * @return list<Answer>
     * @throws StoreException
     */
    private function askOthers(Guard $guard, array $keys, Question $q): array
    {
        $this->setBoundaries($q, $this->needsNow ? $guard->wall() : 0);
        $answers = [];
        foreach ($guard->askMany($keys, $q) as $i => $answer) {
            /* An identity has no answer if the clock passed a boundary. It gets a question of its own. */
            if ($answer instanceof StaleBoundaries) {
                $this->setBoundaries($q, $answer->wall);
                $answer = $this->again($keys[$i], $q, static fn (): Answer => $guard->ask($keys[$i], $q));
            }
            if (!$answer instanceof Answer) {
                throw Failures::of($answer, $keys[$i]);
            }
            $answers[] = $answer;
        }
        if ($this->shadow !== null && $keys) {
            $this->judgeShadow($this->shadow, $keys, $q, $answers);
        }
        foreach ($answers as $i => $answer) {
            $this->pass($q, $answer);
            Listener::limiter($this, [$keys[$i]], $q, $answer);
        }
        return $answers;
    }

    /**
     * @param list<Rule>|null $rules  those of the question; null: the limiter's own
     * @param int|null        $caller the identity, if it is an int
     */
    public function result(Answer $answer, ?array $rules = null, ?int $caller = null): Result
    {
        $policies = $this->storeless === null ? [] : [$this->storeless];
        foreach ($rules ?? $this->askedRules() as $i => $rule) {
            $policies[] = Policy::of($this->limits[$i]->name, $rule, $this->limits[$i]->unit);
        }
        return Access::result(new Decision(
            $answer,
            $policies,
            $answer->accepted ? null : $this->name,
            $answer->accepted ? null : $caller,
            $this->isShadow,
        ));
    }
}
