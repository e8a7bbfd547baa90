<?php

declare(strict_types=1);

namespace Ratelimit\Psr15\Tests;

use Nyholm\Psr7\Response;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

final class Handler implements RequestHandlerInterface
{
    /** @param (\Closure(ServerRequestInterface): ResponseInterface)|null $closure */
    public function __construct(private readonly ?\Closure $closure = null)
    {
    }

    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        return null === $this->closure ? new Response(200, [], 'reached') : ($this->closure)($request);
    }
}
