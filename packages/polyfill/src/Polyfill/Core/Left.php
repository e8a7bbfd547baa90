<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** What one limit has left after a decision, as if no ban ran, and what runs in the state of its identity. */
final class Left
{
    /**
     * @param int $reset  until the limit has all its permits again
     * @param int $ban    until the ban of its identity ends; 0: none runs
     * @param int $level  the bans of its identity that have escalated
     * @param int $forget until the level is forgotten; 0: there is none
     */
    public function __construct(
        public readonly int $remaining,
        public readonly int $reset,
        public readonly int $ban = 0,
        public readonly int $level = 0,
        public readonly int $forget = 0,
    ) {
    }
}
