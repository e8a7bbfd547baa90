<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

use FrequencyLimit\LimitExceeded;
use Symfony\Component\HttpClient\AsyncDecoratorTrait;
use Symfony\Component\HttpClient\Exception\TransportException;
use Symfony\Component\HttpClient\Response\AsyncContext;
use Symfony\Component\HttpClient\Response\AsyncResponse;
use Symfony\Contracts\HttpClient\ChunkInterface;
use Symfony\Contracts\HttpClient\Exception\ExceptionInterface;
use Symfony\Contracts\HttpClient\Exception\TransportExceptionInterface;
use Symfony\Contracts\HttpClient\HttpClientInterface;
use Symfony\Contracts\HttpClient\ResponseInterface;
use Symfony\Contracts\Service\ResetInterface;

/**
 * Lets the requests of Symfony's HttpClient wait their turn. A response that waits is paused, or not begun while the remote is
 * banned, so that others go on. It holds its place until its headers are read, or it is canceled or destroyed. A relative URL is
 * counted for the host of the option base_uri.
 */
final class SymfonyClient implements HttpClientInterface, ResetInterface
{
    use AsyncDecoratorTrait {
        withOptions as private withOptionsOfClient;
    }

    private string $baseUri = '';

    /** @var \WeakMap<AsyncResponse, Call> the responses that have no headers yet */
    private \WeakMap $open;

    public function __construct(HttpClientInterface $client, private readonly RemoteLimit $remote)
    {
        $this->client = new Turns($client);
        $this->open = new \WeakMap();
    }

    public function withOptions(array $options): static
    {
        $clone = $this->withOptionsOfClient($options);
        $clone->baseUri = \is_string($options['base_uri'] ?? null) ? $options['base_uri'] : $this->baseUri;

        return $clone;
    }

    /** @throws TransportException when the turn does not come; the previous exception is FrequencyLimit\LimitExceeded */
    public function request(string $method, string $url, array $options = []): ResponseInterface
    {
        $base = $options['base_uri'] ?? $this->baseUri;
        $call = $this->remote->begin($method, null === parse_url($url, \PHP_URL_HOST) && \is_string($base) && '' !== $base ? $base : $url);
        if (null === $call) {
            return new AsyncResponse($this->client, $method, $url, $options);
        }
        try {
            $delay = $call->book($this->finish(...));
        } catch (LimitExceeded $e) {
            throw new TransportException($e->getMessage(), 0, $e);
        }
        $response = new AsyncResponse($this->client, $method, $url, $call->isBooked() ? $options : Turns::after($delay, $options),
            fn (ChunkInterface $chunk, AsyncContext $context): \Generator => $this->pass($chunk, $context, $call, $method, $url, $options));
        if ($delay > 0 && $call->isBooked()) {
            self::pause($response, $delay);
        }
        $this->open[$response] = $call;

        return $response;
    }

    /** @param array<string, mixed> $options */
    private function pass(ChunkInterface $chunk, AsyncContext $context, Call $call, string $method, string $url, array $options): \Generator
    {
        $waiting = $context->getResponse();
        $isWaiting = $waiting instanceof WaitingResponse;
        try {
            $isAnswer = !$context->getInfo('canceled');
            if ($isAnswer && ($chunk->isTimeout() || (!$isWaiting && (null !== $chunk->getInformationalStatus() || !$chunk->isFirst())))) {
                yield $chunk;

                return;
            }
        } catch (TransportExceptionInterface) {
            $isAnswer = false;
        }
        $own = $this->close($call);
        if (!$isAnswer) {
            $call->ended();
        } elseif ($isWaiting && $waiting->isOver) {
            $context->replaceResponse($waiting->refusal);
        } elseif ($isWaiting || ($call->answered($context->getStatusCode(), self::header($context->getHeaders())) && self::isRepeatable($options))) {
            try {
                $delay = $call->book($this->finish(...));
                if (!$call->isBooked()) {
                    $isWaiting ? $waiting->wait($delay) : $context->replaceResponse(new WaitingResponse($delay, ['http_method' => $method, 'url' => $url], $waiting, $chunk));
                } else {
                    ($isWaiting ? $waiting->refusal : $waiting)?->cancel();
                    self::pause($context->replaceRequest($method, $url, $options), $delay);
                }
                if (null !== $own) {
                    $this->open[$own] = $call;
                }

                return;
            } catch (LimitExceeded $e) {
                // The refusal is the answer.
                if ($isWaiting) {
                    $waiting->isOver = null !== $waiting->refusal ?: throw $e;

                    return;
                }
            }
        }
        yield $chunk;
    }

    /** Waits for the headers of the oldest open response that has its turn; false: there is none. */
    private function finish(): bool
    {
        foreach ($this->open as $response => $call) {
            if (!$call->isBooked()) {
                continue;
            }
            unset($this->open[$response]);
            try {
                $response->getStatusCode();
            } catch (ExceptionInterface) {
                // The reader of the response gets it, too.
            }
            $call->ended();

            return true;
        }

        return false;
    }

    /** Takes the response of a call off the open ones: while it is read, nobody else can read it. */
    private function close(Call $call): ?AsyncResponse
    {
        foreach ($this->open as $response => $other) {
            if ($other === $call) {
                unset($this->open[$response]);

                return $response;
            }
        }

        return null;
    }

    /** @param array<string, list<string>> $headers */
    private static function header(array $headers): \Closure
    {
        return static fn (string $name): string => implode(', ', $headers[strtolower($name)] ?? []);
    }

    /** @param array<string, mixed> $options */
    private static function isRepeatable(array $options): bool
    {
        $body = $options['body'] ?? '';

        return \is_string($body) || \is_array($body);
    }

    private static function pause(ResponseInterface $response, float $seconds): void
    {
        $pause = $response->getInfo('pause_handler');
        \is_callable($pause) ? $pause($seconds) : usleep((int) ($seconds * 1e6));
    }
}
