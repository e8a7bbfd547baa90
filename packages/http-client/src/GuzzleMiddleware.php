<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

use FrequencyLimit\LimitExceeded;
use GuzzleHttp\Exception\TransferException;
use GuzzleHttp\Promise\Create;
use GuzzleHttp\Promise\PromiseInterface;
use GuzzleHttp\Promise\Utils;
use GuzzleHttp\RequestOptions;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * Lets Guzzle's requests wait their turn: $stack->push(new GuzzleMiddleware($remote)). An asynchronous request waits by Guzzle's
 * option "delay", so that others go on. A request whose turn does not come is rejected by a TransferException, whose previous
 * exception is FrequencyLimit\LimitExceeded.
 */
final class GuzzleMiddleware
{
    /** @var array<int, PromiseInterface> the requests that have no answer yet, by the ids of their calls */
    private array $open = [];

    public function __construct(private readonly RemoteLimit $remote)
    {
    }

    /** @param callable(RequestInterface, array<string, mixed>): PromiseInterface $handler */
    public function __invoke(callable $handler): \Closure
    {
        return function (RequestInterface $request, array $options) use ($handler): PromiseInterface {
            $call = $this->remote->begin($request->getMethod(), (string) $request->getUri());
            if (null === $call) {
                return $handler($request, $options);
            }
            try {
                return $this->send($handler, $request, $options, $call);
            } catch (LimitExceeded $e) {
                return Create::rejectionFor(new TransferException($e->getMessage(), 0, $e));
            }
        };
    }

    /**
     * @param callable(RequestInterface, array<string, mixed>): PromiseInterface $handler
     * @param array<string, mixed>                                               $options
     * @throws LimitExceeded
     */
    private function send(callable $handler, RequestInterface $request, array $options, Call $call): PromiseInterface
    {
        $attempt = $options;
        if (true === ($options[RequestOptions::SYNCHRONOUS] ?? false)) {
            $call->await($this->finish(...));
        } elseif (0.0 < $delay = $call->book($this->finish(...))) {
            $attempt[RequestOptions::DELAY] = $delay * 1000 + ($options[RequestOptions::DELAY] ?? 0);
        }
        $id = spl_object_id($call);

        return $this->open[$id] = $handler($request, $attempt)->then(
            function (ResponseInterface $response) use ($handler, $request, $options, $call, $id): ResponseInterface|PromiseInterface {
                unset($this->open[$id]);
                if (!$call->answered($response->getStatusCode(), $response->getHeaderLine(...)) || !Psr18Client::rewind($request)) {
                    return $response;
                }
                try {
                    return $this->send($handler, $request, $options, $call);
                } catch (LimitExceeded) {
                    return $response;
                }
            },
            function (mixed $reason) use ($call, $id): PromiseInterface {
                unset($this->open[$id]);
                $call->ended();

                return Create::rejectionFor($reason);
            },
        );
    }

    /** Waits for the answer of the oldest open request; false: there is none. */
    private function finish(): bool
    {
        $oldest = reset($this->open);
        if (false === $oldest) {
            return false;
        }
        unset($this->open[key($this->open)]);
        $oldest->wait(false);
        Utils::queue()->run();

        return true;
    }
}
