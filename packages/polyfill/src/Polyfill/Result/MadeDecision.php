<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Result;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Limit\Policy;

/** Makes the decision of Result::of(), with the messages of the extension. */
final class MadeDecision
{
    private const STORES = ['shm', 'redis', 'local', 'cache', 'lease', 'exempt', 'refuse'];

    /** @param int $outcome one of Outcome; the others are the arguments of Result::of() */
    public function __construct(
        private readonly int $outcome,
        private readonly int $limit,
        private readonly ?int $remaining,
        private readonly int|float|null $retryAfter,
        private readonly int|float|null $resetAfter,
        private readonly int|float|null $nextAfter,
        private readonly ?int $granted,
        private readonly int|float $wait,
        private readonly int|float $window,
    ) {
    }

    public function decision(?string $name, string $store): Decision
    {
        Argument::range('$limit', $this->limit, 1, Bounds::LIMIT_MAX);
        $isAccepted = $this->outcome === Outcome::ACCEPTED;
        $granted = $this->granted === null ? (int) $isAccepted
            : Argument::range('$granted', $this->granted, 0, $isAccepted || $this->outcome === Outcome::STORE_UNAVAILABLE ? Bounds::LIMIT_MAX : 0);
        $accepted = $isAccepted || $granted > 0;
        $remaining = $this->remaining === null ? ($isAccepted ? $this->limit - 1 : ($accepted ? $this->limit : 0))
            : Argument::range('$remaining', $this->remaining, 0, $this->limit);
        $window = Argument::duration('$window', $this->window, 0);
        [$retry, $reset] = $this->times($accepted, $remaining, $window);
        $answer = new Answer($this->outcome, 0, $this->limit, $remaining, $retry, $reset);
        $answer->accepted = $accepted;
        $answer->granted = $granted;
        $answer->wait = Argument::duration('$wait', $this->wait, 0);
        $name = $name === null ? null : Argument::name('$name', $name);
        if (!\in_array($store, self::STORES, true)) {
            throw Argument::invalid('$store must be "shm", "redis", "local", "cache", "lease", "exempt" or "refuse", "' . substr($store, 0, 32) . '" given');
        }
        $answer->store = $store;
        return new Decision($answer, [new Policy($name, $this->limit, $window)]);
    }

    /**
     * Returns when the call passes (accepted: the next one), and when the limit is whole again.
     *
     * @return array{int, int}
     */
    private function times(bool $accepted, int $remaining, int $window): array
    {
        $retries = !$accepted && $this->outcome !== Outcome::TOO_EXPENSIVE;
        if ($this->retryAfter !== null && !$retries) {
            throw Argument::invalid('$retryAfter must be null for a call that ' . ($accepted ? 'passes' : 'never passes'));
        }
        if ($this->nextAfter !== null && !$accepted) {
            throw Argument::invalid('$nextAfter must be null for a refusal, whose $retryAfter it has');
        }
        $retry = $this->retryAfter === null ? $window : Argument::duration('$retryAfter', $this->retryAfter, 0);
        $reset = $this->resetAfter === null ? $retry : Argument::duration('$resetAfter', $this->resetAfter, 0);
        if (!$accepted) {
            return [$retries ? $retry : Answer::NEVER, $reset];
        }
        $next = $remaining > 0 ? 0 : $reset;
        return [$this->nextAfter === null ? $next : Argument::duration('$nextAfter', $this->nextAfter, 0), $reset];
    }
}
