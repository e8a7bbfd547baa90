<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Monitor;

/** The counts of a name. */
final class Meter
{
    /** The limits with counts of their own; the others share those of "other". */
    private const LIMITS_MAX = 12;
    private const LABEL_MAX = 64;

    public int $admitted = 0;
    public int $refused = 0;
    /** Bans begun. */
    public int $banned = 0;
    /** Calls that a shadow limit would have refused. */
    public int $shadow = 0;
    /** Admitted with less than a tenth of the limit left. */
    public int $near = 0;
    /** Decided by ratelimit.on_failure. */
    public int $fallback = 0;
    /** A failure of the store instead of a decision. */
    public int $errors = 0;
    /** @var array<array-key, array{refused: int, shadow: int, banned: int}> by name or text */
    public array $limits = [];

    /** @param string $kind "limiter", "action" or "other" */
    public function __construct(public readonly string $kind, public readonly string $name)
    {
    }

    /**
     * Counts for one of the limits.
     *
     * @param 'refused'|'shadow'|'banned' $count
     */
    public function addOf(string $limit, string $count): void
    {
        $label = substr($limit, 0, self::LABEL_MAX);
        if (!isset($this->limits[$label]) && \count($this->limits) >= self::LIMITS_MAX) {
            $label = Meters::OTHER;
        }
        $this->limits[$label] ??= ['refused' => 0, 'shadow' => 0, 'banned' => 0];
        $this->limits[$label][$count]++;
    }

    /** Returns all decided calls. */
    public function decisions(): int
    {
        return $this->admitted + $this->refused;
    }
}
