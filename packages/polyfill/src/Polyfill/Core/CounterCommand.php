<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** A command to the counter of doHandle() and check(). */
final class CounterCommand
{
    /**
     * @param int $op      Op::RESET, Op::BAN or Op::UNBAN
     * @param int $banKind of a ban: BanKind::FOR or BanKind::UNTIL
     * @param int $banMs   of a ban: its time, or a moment of the wall clock, in milliseconds
     */
    public function __construct(
        public readonly int $op,
        public readonly int $banKind = BanKind::NONE,
        public readonly int $banMs = 0,
    ) {
    }
}
