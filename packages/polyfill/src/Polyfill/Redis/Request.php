<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\BanSteps;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\CounterCommand;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Held;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;

/** Packs a question for a script: all but its nonce. */
final class Request
{
    /** The year 2255: microseconds up to here are exact in Lua, whose numbers are doubles. */
    private const WALL_MAX_US = 9_000_000_000_000_000;
    /** Lua's whole numbers are exact below. No place is that large. */
    private const PLACE_MAX = (1 << 53) - 1;
    /** An op that is sent with a permit's block, though it is not a permit's own. */
    private const OP_WITH_PARTS = 64;
    /** The version of a limiter's question. A script refuses another one. */
    private const VERSION = 1;
    /** A limit's number, a rate or a cost. */
    public const NUMBER_BYTES = 5;
    /** The unit of the mark in a limit's word, beside its algorithm. */
    private const MARKS = 8;
    /** The unit of the index of a limit's key, beside its kind of ban. */
    private const KEYS_FROM = 4;

    /* The verbs of the counter's script. */
    public const TAKE = 1;
    public const PEEK = 2;
    public const FORGET = 3;
    public const COUNT = 4;
    public const BAN = 5;
    public const UNBAN = 6;

    public static function counter(int $verb, CounterQuestion $q): string
    {
        $banS = self::clamp($q->banS, intdiv(self::WALL_MAX_US, 1_000_000));
        return self::pack($verb, $q->limit, $q->seconds, $q->banKind, $banS * 1000);
    }

    public static function command(CounterCommand $c): string
    {
        $verb = match ($c->op) {
            Op::BAN => self::BAN,
            Op::UNBAN => self::UNBAN,
            default => self::FORGET,
        };
        return self::pack($verb, 0, 0, $c->banKind, self::clamp($c->banMs, intdiv(self::WALL_MAX_US, 1000)));
    }

    private static function pack(int $verb, int $limit, int $seconds, int $banKind, int $banMs): string
    {
        return Wire::put($verb, 1) . Wire::put($limit, 3) . Wire::put($seconds * 1000, 7) . Wire::put($banKind, 1) . Wire::put($banMs, 7);
    }

    /** Returns whether a question has a permit's block, and its answer too. */
    public static function hasPermit(Question $q): bool
    {
        return $q->op >= Op::ACQUIRE || $q->leave > 0 || $q->atLeast > 0;
    }

    /** @return list<Held> what a question brings */
    private static function heldOf(Question $q): array
    {
        return $q->op === Op::SETTLE || $q->op === Op::RELEASE || $q->op === Op::RENEW ? $q->held : [];
    }

    public static function limiter(Question $q): string
    {
        $permit = self::hasPermit($q);
        $bytes = Wire::put(self::VERSION, 1) . Wire::put($q->op + ($permit && $q->op < Op::ACQUIRE ? self::OP_WITH_PARTS : 0), 1)
            . Wire::put(self::algorithms($q->rules), 1) . Wire::put($q->op === Op::PEEK ? (int) $q->asIs : self::clamp($q->at), 7) . Wire::put($q->banKind, 1) . Wire::put(self::clamp($q->banUs), 7)
            . ($permit ? self::permit($q) : '');
        foreach ($q->rules as $i => $rule) {
            $bytes .= self::limit($rule, $q->costOf($i));
        }
        return $bytes;
    }

    /**
     * Returns the algorithms that limits have: one bit for each.
     *
     * @param list<Rule> $rules
     */
    private static function algorithms(array $rules): int
    {
        $bits = 0;
        foreach ($rules as $rule) {
            $bits |= 1 << (self::MARKS - 1 - $rule->algorithm);
        }
        return $bits;
    }

    private static function permit(Question $q): string
    {
        $held = self::heldOf($q);
        $bytes = Wire::put($q->leave, self::NUMBER_BYTES) . Wire::put($q->atLeast, self::NUMBER_BYTES)
            . Wire::put(self::clamp($q->maxWait, Bounds::PERIOD_MAX_US), 7) . Wire::put($q->number & Bounds::TAG_MAX, 6)
            . Wire::put(self::clamp($q->renew, Bounds::PERIOD_MAX_US), 7) . Wire::put(\count($held), 1);
        foreach ($held as $part) {
            $bytes .= Wire::put($part->tag & Bounds::TAG_MAX, 6) . Wire::put(self::clamp($part->place, self::PLACE_MAX), 7)
                . Wire::put(self::clamp($part->moved), 7) . Wire::put(min($part->cost, Bounds::LIMIT_MAX), self::NUMBER_BYTES);
        }
        return $bytes;
    }

    private static function limit(Rule $rule, int $cost): string
    {
        $bytes = Wire::put($rule->algorithm + self::MARKS * $rule->mark, 2) . Wire::put($rule->limit, self::NUMBER_BYTES)
            . Wire::put($rule->rate, self::NUMBER_BYTES) . Wire::put($cost, self::NUMBER_BYTES) . Wire::put($rule->periodKey(), 7)
            . Wire::put($rule->banKind + self::KEYS_FROM * $rule->identity, 1);
        foreach ($rule->algorithm === Algorithm::CALENDAR_WINDOW ? $rule->boundaries : [] as $boundary) {
            $bytes .= Wire::put(self::clamp($boundary), 7);
        }
        return $bytes . ($rule->banKind === BanKind::NONE ? '' : Wire::put(self::ban($rule), 7))
            . ($rule->steps === null ? '' : self::steps($rule->steps));
    }

    private static function ban(Rule $rule): int
    {
        return $rule->steps !== null ? self::clamp($rule->steps->forget, Bounds::PERIOD_MAX_US) : self::clamp($rule->banUs);
    }

    private static function steps(BanSteps $steps): string
    {
        $bytes = Wire::put(\count($steps->times), 1);
        foreach ($steps->times as $time) {
            $bytes .= Wire::put(self::clamp($time, Bounds::PERIOD_MAX_US), 7);
        }
        return $bytes;
    }

    private static function clamp(int $n, int $max = self::WALL_MAX_US): int
    {
        return max(0, min($n, $max));
    }
}
