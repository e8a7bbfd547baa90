<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Monitor;

use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Decision;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\LimiterCore;
use FrequencyLimit\Polyfill\LimitText;
use FrequencyLimit\Polyfill\Policy;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Polyfill\Statistics;
use FrequencyLimit\Polyfill\Time;
use FrequencyLimit\Reason;
use FrequencyLimit\Result;

/** Counts what was decided in this process, and calls the listener. No count is ever read by a decision. */
final class Monitor
{
    private const REASONS = [Reason::Accepted, Reason::Limited, Reason::Banned, Reason::TooExpensive, Reason::StoreUnavailable];
    private const LOCAL = 'local';
    private const REDIS = 'redis';
    /** Redis' milliseconds are rounded up. */
    private const ROUNDED_US = 1_000;

    /** Returns whether an op is a call that is counted, not a look or a command. */
    private static function isCounted(int $op): bool
    {
        return $op === Op::CONSUME || $op === Op::RESERVE || $op === Op::ACQUIRE;
    }

    /**
     * Notes the answer to a limiter's question.
     *
     * @param non-empty-list<Key> $keys by Rule::$identity
     */
    public static function answered(LimiterCore $core, array $keys, Question $q, Answer $answer): void
    {
        if ($core->isBeside) {
            return;
        }
        if (!self::isCounted($q->op)) {
            self::commanded($core, $keys[0], $q);
            return;
        }
        $key = $keys[$core->rules[$answer->index]->identity ?? 0];
        $meter = Meters::of(Meters::LIMITER, $core->name);
        self::count($meter, $answer);
        if (!$answer->accepted && $answer->outcome !== Outcome::STORE_UNAVAILABLE) {
            $limit = $core->limits[$answer->index];
            self::refuse($meter, $key, $answer, $limit->name ?? LimitText::write($limit), $answer->found);
        }
        if ($answer->shadow !== null) {
            $meter->shadow++;
            $meter->addOf($answer->shadow, 'shadow');
        }
        if (Listener::hears(self::REASONS[$answer->outcome])) {
            Listener::call($core->name, $key->id, $core->result($answer, null, \is_int($key->id) ? $key->id : null));
        }
    }

    private static function count(Meter $meter, Answer $answer): void
    {
        if ($answer->store === self::LOCAL || $answer->outcome === Outcome::STORE_UNAVAILABLE) {
            $meter->fallback++;
        }
        if (!$answer->accepted) {
            $meter->refused++;
            return;
        }
        $meter->admitted++;
        if (!$answer->passed && $answer->outcome === Outcome::ACCEPTED && $answer->remaining * 10 < $answer->limit) {
            $meter->near++;
        }
    }

    /** Counts a refusal. $limit: null of an action. */
    private static function refuse(Meter $meter, Key $key, Answer $answer, ?string $limit, bool $beginsBan): void
    {
        if ($limit !== null) {
            $meter->addOf($limit, 'refused');
        }
        if ($answer->outcome === Outcome::BANNED && $beginsBan) {
            $meter->banned++;
            if ($limit !== null) {
                $meter->addOf($limit, 'banned');
            }
            if ($answer->store === self::REDIS) {
                Statistics::$redisBans++;
            }
            Callers::banned($key, $answer->reset, $answer->level);
        }
        Callers::refused($key, $limit === null ? null : substr($limit, 0, 64));
    }

    /** Notes a command about the state of a key: its ban, or the end of one. */
    public static function commanded(LimiterCore $core, Key $key, Question $q): void
    {
        if ($core->isShadow || $core->storeless !== null) {
            return;
        }
        if ($q->op === Op::BAN) {
            Callers::banned($key, $q->banKind === BanKind::UNTIL ? $q->banUs - Time::wall() : $q->banUs, 0);
        } elseif ($q->op === Op::UNBAN) {
            Callers::unbanned($key);
        } elseif ($q->op === Op::RESET) {
            Callers::reset($key);
        }
    }

    /** Notes that a store did not answer a limiter's question. */
    public static function failed(LimiterCore $core, Key $key, Question $q): void
    {
        if ($core->isBeside) {
            return;
        }
        if (self::isCounted($q->op)) {
            Meters::of(Meters::LIMITER, $core->name)->errors++;
        } elseif ($q->op === Op::RESET) {
            self::commanded($core, $key, $q);
        }
    }

    /**
     * Notes the answer to doHandle() and check(), or, without a question, to isActionAllowed().
     *
     * @param \Closure(): Decision $decision for the listener: of an answer that passes if no limit is enforced
     */
    public static function action(Key $key, ?CounterQuestion $q, Answer $answer, \Closure $decision): void
    {
        $settings = Settings::get();
        $passes = !$answer->accepted && !$settings->enforce;
        if (!$answer->accepted || $settings->countActions || $answer->store === self::LOCAL || $answer->outcome === Outcome::STORE_UNAVAILABLE) {
            $meter = Meters::of(Meters::ACTION, $key->name);
            $counted = $answer;
            if ($passes) {
                $counted = clone $answer;
                $counted->pass(1, null);
                $meter->shadow++;
            }
            self::count($meter, $counted);
            if (!$counted->accepted && $answer->outcome !== Outcome::STORE_UNAVAILABLE) {
                self::refuse($meter, $key, $answer, null, $q !== null && self::counterBeginsBan($q, $answer));
            }
        }
        if (Listener::hears($passes ? Reason::Accepted : self::REASONS[$answer->outcome])) {
            Listener::call($key->name, $key->id, self::result($decision()));
        }
    }

    private static function result(Decision $decision): Result
    {
        return Access::result($decision);
    }

    /** Returns whether a refusal of a counter began a ban. Redis does not say so: a ban that began just now has all of its time left. */
    private static function counterBeginsBan(CounterQuestion $q, Answer $answer): bool
    {
        if ($answer->store !== self::REDIS) {
            return $answer->found;
        }
        return ($q->banKind === BanKind::FOR && $answer->reset + self::ROUNDED_US >= $q->banS * 1_000_000) || $q->banKind === BanKind::UNTIL;
    }

    public static function actionFailed(Key $key): void
    {
        Meters::of(Meters::ACTION, $key->name)->errors++;
    }
}
