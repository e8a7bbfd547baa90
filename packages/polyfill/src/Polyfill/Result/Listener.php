<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Result;

use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Limiter\LimiterCore;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Reason;
use FrequencyLimit\Result;

/** The function that is called after each decision of this request. */
final class Listener
{
    private const REASONS = [Reason::Accepted, Reason::Limited, Reason::Banned, Reason::TooExpensive, Reason::StoreUnavailable];

    /** @var (\Closure(string, int|string, Result): mixed)|null */
    private static ?\Closure $listener = null;
    /** @var array<array-key, Reason> none: all */
    private static array $reasons = [];
    /** Whether it runs outside of fibers. */
    private static bool $isRunning = false;
    /** @var \WeakMap<\Fiber<mixed, mixed, mixed, mixed>, true>|null those in which it runs */
    private static ?\WeakMap $fibers = null;

    /** @param array<array-key, Reason> $reasons */
    public static function set(?callable $listener, array $reasons): void
    {
        self::$listener = $listener === null ? null : \Closure::fromCallable($listener);
        self::$reasons = $reasons;
    }

    /**
     * Calls the listener with a limiter's decision, unless it is one of shadow limits beside others.
     *
     * @param non-empty-list<Key> $keys by Rule::$identity
     */
    public static function limiter(LimiterCore $core, array $keys, Question $q, Answer $answer): void
    {
        if ($core->isBeside || ($q->op !== Op::CONSUME && $q->op !== Op::RESERVE && $q->op !== Op::ACQUIRE)) {
            return;
        }
        $key = $keys[$core->rules[$answer->index]->identity ?? 0];
        self::hear(self::REASONS[$answer->outcome], $core->name, $key->id, static fn (): Result => $core->result($answer, null, \is_int($key->id) ? $key->id : null));
    }

    /**
     * Calls the listener with a decision of doHandle(), check() or isActionAllowed().
     *
     * @param \Closure(): Decision $decision of an answer that passes if no limit is enforced
     */
    public static function action(Key $key, Answer $answer, \Closure $decision): void
    {
        $passes = !$answer->accepted && !Settings::get()->enforce;
        self::hear($passes ? Reason::Accepted : self::REASONS[$answer->outcome], $key->name, $key->id, static fn (): Result => Access::result($decision()));
    }

    /**
     * A decision that the listener asks for does not call it again.
     *
     * @param \Closure(): Result $result
     */
    private static function hear(Reason $reason, string $name, int|string $id, \Closure $result): void
    {
        $listener = self::$listener;
        if ($listener === null || self::isRunning() || (self::$reasons !== [] && !\in_array($reason, self::$reasons, true))) {
            return;
        }
        $fiber = \Fiber::getCurrent();
        self::setRunning($fiber, true);
        try {
            $listener($name, $id, $result());
        } finally {
            self::setRunning($fiber, false);
        }
    }

    /** Returns whether it runs in this fiber, or in one that waits for this one. In a suspended one it may wait while others decide. */
    private static function isRunning(): bool
    {
        foreach (self::$fibers ?? [] as $fiber => $_) {
            if (!$fiber->isSuspended()) {
                return true;
            }
        }
        return self::$isRunning;
    }

    /** @param \Fiber<mixed, mixed, mixed, mixed>|null $fiber */
    private static function setRunning(?\Fiber $fiber, bool $isRunning): void
    {
        if ($fiber === null) {
            self::$isRunning = $isRunning;
            return;
        }
        self::$fibers ??= new \WeakMap();
        if ($isRunning) {
            self::$fibers[$fiber] = true;
        } else {
            unset(self::$fibers[$fiber]);
        }
    }
}
