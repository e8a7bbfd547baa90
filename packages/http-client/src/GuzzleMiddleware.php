<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

use FrequencyLimit\LimitExceeded;
use FrequencyLimit\Permit;
use GuzzleHttp\Exception\TransferException;
use GuzzleHttp\Promise\Create;
use GuzzleHttp\Promise\Promise;
use GuzzleHttp\Promise\PromiseInterface;
use GuzzleHttp\Promise\Utils;
use GuzzleHttp\RequestOptions;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/**
 * Lets Guzzle's requests wait their turn: $stack->push(new GuzzleMiddleware($remote)). An asynchronous request waits by Guzzle's
 * option "delay", so that others go on; while the remote is banned, it waits outside of Guzzle's handler. A request whose turn does
 * not come is rejected by a TransferException, whose previous exception is FrequencyLimit\LimitExceeded.
 */
final class GuzzleMiddleware
{
    /** @var array<int, PromiseInterface> the requests that have no answer yet, by their ids */
    private array $open = [];

    /** @var array<int, array{float, \Closure(): void, Permit}> moments of hrtime(), what asks for a turn again, and the same moments by the clock of the limiters, by the ids of their calls */
    private array $waiting = [];

    public function __construct(private readonly RemoteLimit $remote)
    {
    }

    /** @param callable(RequestInterface, array<string, mixed>): PromiseInterface $handler */
    public function __invoke(callable $handler): \Closure
    {
        return function (RequestInterface $request, array $options) use ($handler): PromiseInterface {
            $this->startDue();
            $call = $this->remote->begin($request->getMethod(), (string) $request->getUri());
            if (null === $call) {
                return $this->open($handler($request, $options), static fn (mixed $answer): mixed => $answer);
            }

            return $this->send($handler, $request, $options, $call);
        };
    }

    /**
     * @param callable(RequestInterface, array<string, mixed>): PromiseInterface $handler
     * @param array<string, mixed>                                               $options
     * @param ResponseInterface|null                                             $refusal the answer, where no turn comes any more
     */
    private function send(callable $handler, RequestInterface $request, array $options, Call $call, ?ResponseInterface $refusal = null): PromiseInterface
    {
        $attempt = $options;
        try {
            if (true === ($options[RequestOptions::SYNCHRONOUS] ?? false)) {
                $call->await($this->finish(...));
            } else {
                $delay = $call->book($this->finish(...));
                if ($delay > 0 && !$call->isBooked()) {
                    return $this->later($delay, $call, fn (): PromiseInterface => $this->send($handler, $request, $options, $call, $refusal));
                }
                if ($delay > 0) {
                    $attempt[RequestOptions::DELAY] = $delay * 1000 + ($options[RequestOptions::DELAY] ?? 0);
                }
            }
        } catch (LimitExceeded $e) {
            return null === $refusal ? Create::rejectionFor(self::turnNotReached($request, $e)) : Create::promiseFor($refusal);
        }

        return $this->open($handler($request, $attempt), function (mixed $answer, bool $isResponse) use ($handler, $request, $options, $call): mixed {
            if (!$isResponse) {
                $call->ended();

                return $answer;
            }
            if (!$call->answered($answer->getStatusCode(), $answer->getHeaderLine(...)) || !Psr18Client::rewind($request)) {
                return $answer;
            }

            return $this->send($handler, $request, $options, $call, $answer);
        });
    }

    private static function turnNotReached(RequestInterface $request, LimitExceeded $e): TransferException
    {
        // Guzzle 8 has the request in each exception; Guzzle 7 takes PHP's own arguments.
        return method_exists(TransferException::class, 'getRequest')
            ? new TransferException($e->getMessage(), $request, 0, $e)
            : new TransferException($e->getMessage(), 0, $e);
    }

    /**
     * Keeps a request as open until its end, which also starts the requests whose wait is over by then.
     *
     * @param \Closure(mixed, bool): mixed $ended gets the response or the reason, and whether it is a response
     */
    private function open(PromiseInterface $request, \Closure $ended): PromiseInterface
    {
        $id = spl_object_id($request);
        $this->open[$id] = $request;
        $end = function (mixed $answer, bool $isResponse) use ($id, $ended): mixed {
            unset($this->open[$id]);
            $answer = $ended($answer, $isResponse);
            $this->startDue();

            return $isResponse ? $answer : Create::rejectionFor($answer);
        };

        return $request->then(static fn (mixed $response): mixed => $end($response, true), static fn (mixed $reason): mixed => $end($reason, false));
    }

    /**
     * Promises a request that asks for its turn again after so many seconds. To wait for the promise is to finish the open requests
     * until then, and to sleep without any.
     *
     * @param \Closure(): PromiseInterface $send
     */
    private function later(float $seconds, Call $call, \Closure $send): PromiseInterface
    {
        $id = spl_object_id($call);
        $promise = new Promise(
            function () use ($id): void {
                while (isset($this->waiting[$id])) {
                    $left = max(0.0, ($this->waiting[$id][0] - hrtime(true)) / 1e9);
                    if (0.0 === $left || !$this->finish()) {
                        Call::sleep($left, $this->waiting[$id][2]);
                        $this->start($id);
                    }
                }
            },
            function () use ($id): void {
                unset($this->waiting[$id]);
            },
        );
        $this->waiting[$id] = [hrtime(true) + $seconds * 1e9, static function () use ($promise, $send): void {
            try {
                $promise->resolve($send());
            } catch (\Throwable $e) {
                $promise->reject($e);
            }
        }, Call::turn($seconds)];

        return $promise;
    }

    private function start(int $id): void
    {
        $send = $this->waiting[$id][1];
        unset($this->waiting[$id]);
        $send();
    }

    private function startDue(): void
    {
        foreach ($this->waiting as $id => [$moment]) {
            if ($moment <= hrtime(true) && isset($this->waiting[$id])) {
                $this->start($id);
            }
        }
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
