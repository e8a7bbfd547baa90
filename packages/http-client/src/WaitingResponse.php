<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

use FrequencyLimit\Permit;
use Symfony\Contracts\HttpClient\ChunkInterface;
use Symfony\Contracts\HttpClient\ResponseInterface;

/**
 * Stands for a response whose request is not to be sent yet. Only AsyncResponse has it, which replaces it.
 *
 * @internal
 */
final class WaitingResponse implements ResponseInterface
{
    /** The moment of hrtime() at which a turn is asked for, in seconds. */
    public float $end;

    /** The same by the clock of the limiters. */
    public Permit $turn;

    /** Whether no turn comes any more. */
    public bool $isOver = false;

    /**
     * @param array<string, mixed>   $info
     * @param ResponseInterface|null $refusal the one that has this wait, and its first chunk: the answer, where no turn comes any more
     */
    public function __construct(float $seconds, private array $info, public readonly ?ResponseInterface $refusal = null, public readonly ?ChunkInterface $chunk = null)
    {
        $this->info += ['canceled' => false, 'error' => null, 'http_code' => 0, 'redirect_count' => 0, 'redirect_url' => null, 'response_headers' => [], 'start_time' => 0.0, 'user_data' => null];
        $this->wait($seconds);
    }

    public function wait(float $seconds): void
    {
        $this->end = hrtime(true) / 1e9 + $seconds;
        $this->turn = Call::turn($seconds);
    }

    public function getStatusCode(): int
    {
        return 0;
    }

    public function getHeaders(bool $throw = true): array
    {
        return [];
    }

    public function getContent(bool $throw = true): string
    {
        return '';
    }

    public function toArray(bool $throw = true): array
    {
        return [];
    }

    public function cancel(): void
    {
        $this->refusal?->cancel();
        $this->info = ['canceled' => true, 'error' => 'Response has been canceled.'] + $this->info;
    }

    public function getInfo(?string $type = null): mixed
    {
        return null === $type ? $this->info : $this->info[$type] ?? null;
    }
}
