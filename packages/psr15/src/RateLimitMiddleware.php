<?php

declare(strict_types=1);

namespace Ratelimit\Psr15;

use FrequencyLimit\LimiterInterface;
use FrequencyLimit\LimitExceeded;
use FrequencyLimit\Permit;
use FrequencyLimit\Request;
use FrequencyLimit\Result;
use Psr\Http\Message\ResponseFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\MiddlewareInterface;
use Psr\Http\Server\RequestHandlerInterface;

/**
 * Limits the requests of each identity. Each answer has the headers RateLimit-Policy and RateLimit. A refused request does not
 * reach the handler: its answer is 429 (503 where the store was unavailable) with Retry-After and problem details (RFC 9457).
 * A LimitExceeded that the handler throws is answered in the same way.
 */
final class RateLimitMiddleware implements MiddlewareInterface
{
    /** The request's attribute that has the Result. */
    public const ATTRIBUTE = Result::class;

    /** The request's attribute that has the Permit: the handler settles the true cost, or cancels a call that cost nothing. */
    public const PERMIT = Permit::class;

    /** The request's attribute that marks one that a middleware has begun by Request::begin(). */
    private const BEGUN = self::class.'::BEGUN';

    /** @var (\Closure(ServerRequestInterface): (int|string|array<string, int|string>|null))|null */
    private readonly ?\Closure $identify;

    /** @var \Closure(ServerRequestInterface): (int|array<string, int>) */
    private readonly \Closure $cost;

    /**
     * @param LimiterInterface         $limiter   its concurrent limits hold a place while the handler runs
     * @param ResponseFactoryInterface $responses makes the answer of a refusal
     * @param (callable(ServerRequestInterface): (int|string|array<string, int|string>|null))|null $identify returns any int, or 1 to
     *                                            255 bytes, or with limits that have by() an array of such by labels; null of a
     *                                            request without limits. Without it: the client's address, by
     *                                            ratelimit.trusted_proxies
     * @param (callable(ServerRequestInterface): (int|array<string, int>))|int $cost of a request; an array: of each limit by its name
     * @param bool                     $legacy    true: also X-RateLimit-Limit, -Remaining and -Reset
     */
    public function __construct(
        private readonly LimiterInterface $limiter,
        private readonly ResponseFactoryInterface $responses,
        ?callable $identify = null,
        callable|int $cost = 1,
        private readonly bool $legacy = false,
    ) {
        $this->identify = null === $identify ? null : $identify(...);
        $this->cost = \is_int($cost) ? static fn (): int => $cost : $cost(...);
    }

    /**
     * Without a resolver, in a process that serves many requests (Swoole, RoadRunner), it begins the request by
     * Request::begin(), and ends it.
     */
    public function process(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        $peer = $request->getServerParams()['REMOTE_ADDR'] ?? null;
        if (null !== $this->identify || 'cli' !== \PHP_SAPI || !\is_string($peer) || null !== $request->getAttribute(self::BEGUN)) {
            return $this->limit($request, $handler);
        }
        Request::begin($peer, $request->getUri()->getPath() ?: '/', $request->getHeaderLine('X-Forwarded-For'));
        try {
            return $this->limit($request->withAttribute(self::BEGUN, true), $handler);
        } finally {
            Request::end();
        }
    }

    private function limit(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        $identity = null === $this->identify ? Request::clientAddress() : ($this->identify)($request);
        if (null === $identity) {
            return $this->handle($request, $handler);
        }
        $permit = $this->limiter->acquire($identity, ($this->cost)($request));
        $result = $permit->result;
        if (!$result->accepted) {
            return $this->refuse($result);
        }
        // One for all middlewares of the request.
        $effort = $request->getAttribute(BestEffort::class) ?? new BestEffort();
        $request = $request->withAttribute(self::ATTRIBUTE, $result)->withAttribute(self::PERMIT, $permit)->withAttribute(BestEffort::class, $effort);
        try {
            return $this->withHeaders($this->handle($request, $handler), $result);
        } finally {
            $effort->run($permit->release(...));
        }
    }

    private function handle(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        try {
            return $handler->handle($request);
        } catch (LimitExceeded $e) {
            return $this->refuse($e->result);
        }
    }

    private function refuse(Result $result): ResponseInterface
    {
        $response = $this->responses->createResponse($result->status())->withHeader('Content-Type', 'application/problem+json');
        $response->getBody()->write(json_encode($result->problem(), \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE));

        return $this->withHeaders($response, $result);
    }

    /**
     * Adds to the lists of policies that an inner middleware has sent. Of its other headers the answer keeps those. A refusal that an
     * inner one sent has no X-RateLimit-* of a limit that admitted the request.
     */
    private function withHeaders(ResponseInterface $response, Result $result): ResponseInterface
    {
        $legacy = $this->legacy && !($result->accepted && 429 === $response->getStatusCode());
        foreach ($result->headers($legacy) as $name => $value) {
            if (str_starts_with($name, 'RateLimit') && $response->hasHeader($name)) {
                $response = $response->withHeader($name, $value.', '.$response->getHeaderLine($name));
            } elseif (!$response->hasHeader($name)) {
                $response = $response->withHeader($name, $value);
            }
        }

        return $response;
    }
}
