<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The forms of a ban's end. The scripts for Redis read the numbers. */
final class BanKind
{
    public const NONE = 0;
    /** For a time from the refusal on. */
    public const FOR = 1;
    /** Until a moment of the wall clock. */
    public const UNTIL = 2;
    /** For a time that grows from ban to ban; of a limit only. */
    public const STEPS = 3;
}
