<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** A ban: its end, and the algorithm, rate, period and mark of the limit that began it; 0 of a ban by hand. */
final class Ban
{
    public function __construct(
        public readonly int $end,
        public readonly int $algorithm = 0,
        public readonly int $rate = 0,
        public readonly int $period = 0,
        public readonly int $mark = 0,
    ) {
    }

    /** @param bool $hasEquals the limiter has other limits of this kind, of which the mark tells it apart */
    public static function of(Rule $rule, bool $hasEquals, int $end): self
    {
        return new self($end, $rule->algorithm, $rule->rate, $rule->periodKey(), $hasEquals ? $rule->mark : 0);
    }
}
