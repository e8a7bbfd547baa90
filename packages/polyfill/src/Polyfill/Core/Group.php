<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** One of the states that a question is about, with the limit states in it that no limit matched. */
final class Group
{
    /** @var list<LimitState> */
    public array $unmatched = [];
    /** Whether there is a limit state that has not expired. */
    public bool $hasStates = false;
    /** The bans that have escalated and are not forgotten. */
    public int $level;

    public function __construct(public readonly State $state, Now $now)
    {
        $this->level = $state->levelAt($now);
    }
}
