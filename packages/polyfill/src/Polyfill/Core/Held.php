<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** A permit's part of one limit. */
final class Held
{
    /**
     * @param int $tag   of the limit state, or of the concurrent place; 0: nothing is held
     * @param int $place a window's end, a moment, a sub-window's begin, a take number
     * @param int $moved by how many microseconds a booking moved a bucket's arrival time beside the cost
     * @param int $cost  what was charged
     */
    public function __construct(
        public readonly int $tag,
        public readonly int $place,
        public readonly int $moved,
        public readonly int $cost,
    ) {
    }
}
