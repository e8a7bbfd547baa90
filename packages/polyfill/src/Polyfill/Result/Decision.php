<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Result;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Left;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Limit\Policy;
use FrequencyLimit\Polyfill\Settings;

/** Holds a FrequencyLimit\Result's numbers, and the limits for its headers and messages. */
final class Decision
{
    /**
     * @param list<Policy> $policies of all limits that were decided together
     * @param string|null  $subject  a refusal's limiter or action, for messages
     * @param int|null     $caller   the identity of a refused call, if it is an int: a string may be a secret
     * @param bool         $isShadow all limits are shadows, of which the headers say nothing
     */
    public function __construct(
        public readonly Answer $answer,
        public readonly array $policies,
        public readonly ?string $subject = null,
        public readonly ?int $caller = null,
        public readonly bool $isShadow = false,
    ) {
    }

    public function policy(): Policy
    {
        return $this->policies[$this->answer->index];
    }

    /**
     * Returns the limits that a Result tells of.
     *
     * @return array<int, Policy> none of a decision without a limit, or with shadow limits alone
     */
    public function limits(): array
    {
        return $this->isShadow || !Settings::get()->enforce || $this->policy()->windowUs === Policy::NO_WINDOW ? [] : $this->policies;
    }

    /** Returns what a limit has left; null: not known. */
    public function left(int $index): ?Left
    {
        $answer = $this->answer;
        if ($index === $answer->index) {
            return new Left($answer->remaining, $answer->reset);
        }
        return \count($answer->left) === \count($this->policies) ? $answer->left[$index] : null;
    }

    /** A call that never passes has no Retry-After. */
    public function hasRetryAfter(): bool
    {
        return !$this->answer->accepted && $this->answer->retry !== Answer::NEVER;
    }

    /** Returns whole seconds, at least 1. */
    public function retryAfterSeconds(): int
    {
        return max(1, self::ceilSeconds($this->answer->retry));
    }

    public static function ceilSeconds(int $us): int
    {
        return intdiv($us + 999_999, 1_000_000);
    }

    /** Returns the reason for a refusal, in a sentence for developers. */
    public function refusalMessage(): string
    {
        $answer = $this->answer;
        $seconds = self::ceilSeconds($answer->retry);
        $name = $this->policy()->wireName($answer->index);
        $of = ($this->subject === null ? '' : " of \"$this->subject\"") . ($this->caller === null ? '' : " by $this->caller");
        return match (true) {
            $answer->outcome === Outcome::STORE_UNAVAILABLE
                => "Cannot check the limit$of: the store is unavailable, try again in $seconds s",
            $answer->retry === Answer::NEVER
                => "Too expensive a call$of: the limit \"$name\" is $answer->limit, so that it never passes",
            $this->policy()->windowUs === 0 && $answer->outcome === Outcome::LIMITED
                => "Too many calls at once$of: the limit \"$name\" is $answer->limit, a place comes free in at most $seconds s",
            $answer->outcome === Outcome::BANNED
                => "Too many calls$of: banned by the limit \"$name\" ($answer->limit), the ban ends in $seconds s",
            default => "Too many calls$of: the limit \"$name\" is $answer->limit, a call passes again in $seconds s",
        };
    }
}
