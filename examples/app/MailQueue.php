<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Permit;

/**
 * A queue of mails, limited by the recipient's domain: five at once, then one every two seconds.
 *
 * Several workers may run the queue at the same time: they stand in one line, first come, first served. The queue keeps one
 * place in the line of each domain, so that a slow domain does not hold up another.
 */
final class MailQueue
{
    /** The longest line that a mail joins, in seconds. */
    private const MAX_WAIT = 3600;

    /** The pause after a mail that could not be sent, in seconds. */
    private const RETRY = 1.0;

    private readonly Limiter $limiter;

    /** @var \Closure(): float seconds, from any beginning */
    private readonly \Closure $clock;

    /** @var array<string, list<string>> recipients in order, by domain */
    private array $waiting = [];

    /** @var array<string, array{Permit, float}> the place in line and the moment of its turn, by domain */
    private array $turns = [];

    /** @param (callable(): float)|null $clock for tests; null: the machine's monotonic clock */
    public function __construct(?callable $clock = null)
    {
        $this->limiter = new Limiter('mail', Limit::tokenBucket(30, 60, burst: 5));
        $this->clock = $clock === null ? static fn (): float => hrtime(true) / 1e9 : $clock(...);
    }

    public function add(string $recipient): void
    {
        $domain = strtolower(substr(strrchr($recipient, '@') ?: '', 1));
        if ($domain === '') {
            throw new \InvalidArgumentException("Not a mail address: $recipient");
        }
        $this->waiting[$domain][] = $recipient;
    }

    /**
     * Sends the mails whose turn has come.
     *
     * @param callable(string): bool $send false: it could not be sent, and stays in the queue
     * @return float|null seconds until the next turn; null: the queue is empty
     */
    public function run(callable $send): ?float
    {
        $pauses = [];
        foreach (array_keys($this->waiting) as $domain) {
            $pause = $this->sendTo((string) $domain, $send);
            if ($pause === null) {
                unset($this->waiting[$domain]);
            } else {
                $pauses[] = $pause;
            }
        }
        return $pauses === [] ? null : min($pauses);
    }

    private function sendTo(string $domain, callable $send): ?float
    {
        while ($this->waiting[$domain] !== []) {
            $now = ($this->clock)();
            [$permit, $turn] = $this->turns[$domain] ?? $this->joinLine($domain, $now);
            if (!$permit->result->accepted) {
                return $permit->result->retryAfter; // the line is longer than an hour
            }
            if ($now < $turn) {
                $this->turns[$domain] = [$permit, $turn];
                return $turn - $now;
            }
            unset($this->turns[$domain]);
            if (!$send($this->waiting[$domain][0])) {
                $permit->cancel(); // nothing went out: the charge goes back to where it was taken
                return self::RETRY;
            }
            $permit->release();
            array_shift($this->waiting[$domain]);
        }
        return null;
    }

    /** @return array{Permit, float} */
    private function joinLine(string $domain, float $now): array
    {
        $permit = $this->limiter->acquire($domain, maxWait: self::MAX_WAIT);
        return [$permit, $now + $permit->result->wait];
    }
}
