<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limit;

use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Rule;

/** One limit, as the headers have it. */
final class Policy
{
    /** Of a decision without a limit: it has no headers. */
    public const NO_WINDOW = -1;

    /**
     * @param int  $windowUs the length of its window; 0: a concurrent limit; NO_WINDOW
     * @param bool $isSteady a token bucket, whose permits come one by one
     * @param string|null $unit  that of Limit::unit()
     */
    public function __construct(
        public readonly ?string $name,
        public readonly int $limit,
        public readonly int $windowUs,
        public readonly bool $isSteady = false,
        public readonly ?string $unit = null,
    ) {
    }

    public static function of(?string $name, Rule $rule, ?string $unit = null): self
    {
        return new self($name, $rule->limit, match ($rule->algorithm) {
            Algorithm::CALENDAR_WINDOW => $rule->boundaries[1] - $rule->boundaries[0],
            Algorithm::TOKEN_BUCKET => max(1, (int) ($rule->period / $rule->rate * $rule->limit)),
            Algorithm::CONCURRENT => 0,
            default => $rule->period,
        }, $rule->algorithm === Algorithm::TOKEN_BUCKET, $unit);
    }

    /** Returns the unit as the draft has it. */
    public function unit(): string
    {
        return $this->unit ?? ($this->windowUs === 0 ? 'concurrent-requests' : 'requests');
    }

    /** Returns the name; a limit without one is "default", and as the second of several "default-2". */
    public function wireName(int $index): string
    {
        return $this->name ?? ($index > 0 ? 'default-' . ($index + 1) : 'default');
    }
}
