<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The question of doHandle() and check(): one counter with its ban. */
final class CounterQuestion
{
    /**
     * @param int  $banKind     one of BanKind
     * @param int  $banS        seconds, or a unix time
     * @param bool $verdictOnly the answer of an admitted call may be without its numbers
     */
    public function __construct(
        public readonly int $seconds,
        public readonly int $limit,
        public readonly int $banKind = BanKind::NONE,
        public readonly int $banS = 0,
        public readonly bool $verdictOnly = false,
    ) {
    }
}
