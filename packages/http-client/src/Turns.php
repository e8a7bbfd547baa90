<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

use Symfony\Component\HttpClient\Chunk\ErrorChunk;
use Symfony\Component\HttpClient\Chunk\InformationalChunk;
use Symfony\Component\HttpClient\DecoratorTrait;
use Symfony\Component\HttpClient\Response\ResponseStream;
use Symfony\Contracts\HttpClient\ChunkInterface;
use Symfony\Contracts\HttpClient\Exception\TransportExceptionInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;
use Symfony\Contracts\HttpClient\ResponseInterface;
use Symfony\Contracts\HttpClient\ResponseStreamInterface;
use Symfony\Contracts\Service\ResetInterface;

/**
 * The client below SymfonyClient, which has responses that wait beside those that run. When a wait is over, its response has an
 * informational chunk.
 *
 * @internal
 */
final class Turns implements HttpClientInterface, ResetInterface
{
    use DecoratorTrait;

    /**
     * Returns the options of a request that is not sent, but waits for so many seconds.
     *
     * @param array<string, mixed> $options
     *
     * @return array<string, mixed>
     */
    public static function after(float $seconds, array $options): array
    {
        return ['extra' => [self::class => $seconds] + ($options['extra'] ?? [])] + $options;
    }

    public function request(string $method, string $url, array $options = []): ResponseInterface
    {
        $seconds = $options['extra'][self::class] ?? null;

        return null === $seconds ? $this->client->request($method, $url, $options) : new WaitingResponse($seconds, ['http_method' => $method, 'url' => $url]);
    }

    public function stream(ResponseInterface|iterable $responses, ?float $timeout = null): ResponseStreamInterface
    {
        return new ResponseStream($this->chunks($responses instanceof ResponseInterface ? [$responses] : $responses, $timeout));
    }

    /** @param iterable<ResponseInterface> $responses */
    private function chunks(iterable $responses, ?float $timeout): \Generator
    {
        $waiting = $running = [];
        foreach ($responses as $response) {
            if ($response instanceof WaitingResponse) {
                $waiting[] = $response;
            } else {
                $running[spl_object_id($response)] = $response;
            }
        }
        if (!$waiting) {
            yield from $this->client->stream($running, $timeout);

            return;
        }
        // A negative zero and less go on with an earlier timeout.
        $idle = null === $timeout || $timeout < 0 || '-0' === (string) $timeout ? \INF : $timeout;
        $active = self::now();
        while ($waiting) {
            usort($waiting, static fn (WaitingResponse $a, WaitingResponse $b): int => $a->end <=> $b->end);
            $left = max(0.0, min($active + $idle, $waiting[0]->end) - self::now());
            if (!$running) {
                $isTurn = $left < $idle;
                Call::sleep($left, $isTurn ? $waiting[0]->turn : null);
                // A simulated clock has moved on, and hrtime() has not.
                $waiting[0]->end = $isTurn ? 0.0 : $waiting[0]->end;
            } else {
                foreach ($this->client->stream($running, $left) as $response => $chunk) {
                    $isTimeout = self::isTimeout($chunk);
                    if ($isTimeout && self::now() < $active + $idle) {
                        break;
                    }
                    if (null !== $chunk->getError() || $chunk->isLast()) {
                        unset($running[spl_object_id($response)]);
                    }
                    yield $response => $chunk;
                    $active = $isTimeout ? $active : self::now();
                }
            }
            foreach ($waiting as $i => $response) {
                if ($response->end <= self::now()) {
                    yield $response => $response->isOver ? $response->chunk : new InformationalChunk(100, []);
                } elseif (self::now() >= $active + $idle) {
                    yield $response => new ErrorChunk(0, 'Idle timeout reached while the response waits for its turn.');
                    unset($waiting[$i]);
                }
                if ($response->getInfo('canceled')) {
                    unset($waiting[$i]);
                }
            }
        }
        if ($running) {
            yield from $this->client->stream($running, $timeout);
        }
    }

    private static function now(): float
    {
        return hrtime(true) / 1e9;
    }

    /** An error that is no timeout throws where it is asked. */
    private static function isTimeout(ChunkInterface $chunk): bool
    {
        try {
            return null !== $chunk->getError() && $chunk->isTimeout();
        } catch (TransportExceptionInterface) {
            return false;
        }
    }
}
