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
    /** An op whose numbers take 6 bytes, with a cost and a key for each limit. */
    private const OP_WIDE = 128;
    /** The bytes of a number, and of a large one. */
    public const NUMBER_BYTES = 3;
    public const WIDE_BYTES = 6;
    /** The largest number that takes 3 bytes. */
    private const SMALL_MAX = 0xffffff;

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

    /** Returns whether a number is too large for 3 bytes, or a limit has a cost or a key of its own. */
    public static function isWide(Question $q): bool
    {
        if ($q->costs !== null) {
            return true;
        }
        $most = max($q->cost, $q->leave, $q->atLeast);
        foreach ($q->rules as $rule) {
            if ($rule->identity > 0) {
                return true;
            }
            $most = max($most, $rule->limit, $rule->rate);
        }
        foreach (self::heldOf($q) as $part) {
            $most = max($most, $part->cost);
        }
        return $most > self::SMALL_MAX;
    }

    /** @return list<Held> what a question brings */
    private static function heldOf(Question $q): array
    {
        return $q->op === Op::SETTLE || $q->op === Op::RELEASE || $q->op === Op::RENEW ? $q->held : [];
    }

    public static function limiter(Question $q): string
    {
        $permit = self::hasPermit($q);
        $wide = self::isWide($q);
        $op = $q->op + ($permit && $q->op < Op::ACQUIRE ? self::OP_WITH_PARTS : 0) + ($wide ? self::OP_WIDE : 0);
        $bytes = Wire::put($op, 1) . Wire::put($wide ? 0 : $q->cost, self::NUMBER_BYTES)
            . Wire::put(self::clamp($q->at), 7) . Wire::put($q->banKind, 1) . Wire::put(self::clamp($q->banUs), 7);
        if ($permit) {
            $bytes .= self::permit($q, $wide ? self::WIDE_BYTES : self::NUMBER_BYTES);
        }
        foreach ($q->rules as $i => $rule) {
            $bytes .= self::limit($rule, $wide ? $q->costOf($i) : null);
        }
        return $bytes;
    }

    private static function permit(Question $q, int $numberBytes): string
    {
        $held = self::heldOf($q);
        $bytes = Wire::put($q->leave, $numberBytes) . Wire::put($q->atLeast, $numberBytes) . Wire::put(self::clamp($q->maxWait, Bounds::PERIOD_MAX_US), 7)
            . Wire::put($q->number & Bounds::TAG_MAX, 6) . Wire::put(self::clamp($q->renew, Bounds::PERIOD_MAX_US), 7)
            . Wire::put(\count($held), 1);
        foreach ($held as $part) {
            $bytes .= Wire::put($part->tag & Bounds::TAG_MAX, 6) . Wire::put(self::clamp($part->place, self::PLACE_MAX), 7)
                . Wire::put(self::clamp($part->moved), 7) . Wire::put(min($part->cost, Bounds::LIMIT_MAX), $numberBytes);
        }
        return $bytes;
    }

    /** @param int|null $cost the limit's own, in a question whose numbers are large */
    private static function limit(Rule $rule, ?int $cost): string
    {
        $calendar = $rule->algorithm === Algorithm::CALENDAR_WINDOW;
        $numberBytes = $cost === null ? self::NUMBER_BYTES : self::WIDE_BYTES;
        $bytes = Wire::put($rule->algorithm, 1) . Wire::put($rule->limit, $numberBytes)
            . Wire::put($rule->rate, $numberBytes) . Wire::put($rule->banKind, 1) . Wire::put(self::ban($rule), 7) . Wire::put($rule->periodKey(), 7)
            . Wire::put($rule->mark, 2) . ($cost === null ? '' : Wire::put($cost, $numberBytes) . Wire::put($rule->identity, 1));
        foreach ($calendar ? $rule->boundaries : [] as $boundary) {
            $bytes .= Wire::put(self::clamp($boundary), 7);
        }
        return $bytes . ($rule->steps === null ? '' : self::steps($rule->steps));
    }

    private static function ban(Rule $rule): int
    {
        if ($rule->steps !== null) {
            return self::clamp($rule->steps->forget, Bounds::PERIOD_MAX_US);
        }
        return $rule->banKind === BanKind::NONE ? 0 : self::clamp($rule->banUs);
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
