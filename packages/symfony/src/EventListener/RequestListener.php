<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\EventListener;

use FrequencyLimit\Request;
use Symfony\Component\HttpKernel\Event\RequestEvent;
use Symfony\Component\Security\Core\Authentication\Token\Storage\TokenStorageInterface;

/**
 * Gives the attributes the user of a request. In a process of the command line, which serves many requests (RoadRunner, Swoole), it
 * begins each of them by Request::begin(), and ends it.
 */
final class RequestListener
{
    private readonly bool $begins;

    public function __construct(bool $begins, private readonly ?TokenStorageInterface $tokens)
    {
        // The container may be that of a php-fpm, although it was built on the command line.
        $this->begins = $begins && 'cli' === \PHP_SAPI;
    }

    public function onKernelRequest(RequestEvent $event): void
    {
        if (!$event->isMainRequest()) {
            return;
        }
        $request = $event->getRequest();
        $peer = $request->server->get('REMOTE_ADDR');
        if ($this->begins && \is_string($peer)) {
            Request::begin($peer, $request->getPathInfo(), $request->headers->get('X-Forwarded-For'));
        }
        if (null !== $this->tokens) {
            Request::identifyBy(fn (): ?string => $this->tokens->getToken()?->getUserIdentifier());
        }
    }

    public function onKernelTerminate(): void
    {
        if ($this->begins) {
            Request::end();
        }
    }
}
