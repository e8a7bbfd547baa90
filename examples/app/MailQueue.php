<?php

declare(strict_types=1);

namespace App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;

/**
 * A queue of mails, limited by the recipient's domain: five at once, then one every two seconds.
 *
 * Several workers may run the queue at the same time; they share the limiter's counts.
 */
final class MailQueue
{
    private readonly Limiter $limiter;

    /** @var array<string, list<string>> recipients in order, by domain */
    private array $waiting = [];

    public function __construct()
    {
        $this->limiter = new Limiter('mail', Limit::tokenBucket(30, 60, burst: 5));
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
     * Sends the mails that pass now.
     *
     * @param callable(string): bool $send false: it could not be sent, and stays in the queue
     * @return float|null seconds until the next mail passes; null: the queue is empty
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
            $permit = $this->limiter->acquire($domain);
            if (!$permit->result->accepted) {
                return $permit->result->retryAfter;
            }
            if (!$send($this->waiting[$domain][0])) {
                $permit->cancel(); // nothing went out: the charge goes back to where it was taken
                return 1.0;
            }
            $permit->release();
            array_shift($this->waiting[$domain]);
        }
        return null;
    }
}
