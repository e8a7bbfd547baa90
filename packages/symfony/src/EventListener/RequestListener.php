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
        // The container may have been built in a PHP with the extension. The attributes have no effect without it.
        if (!$event->isMainRequest() || !\extension_loaded('ratelimit')) {
            return;
        }
        $request = $event->getRequest();
        if ($this->begins && \is_string($request->server->get('REMOTE_ADDR'))) {
            // Symfony has read the header of a proxy that it trusts, such as its HttpCache. Of another peer, the extension may trust it.
            Request::begin($request->getClientIp(), $request->getPathInfo(), $request->isFromTrustedProxy() ? null : $request->headers->get('X-Forwarded-For'));
        }
        if (null !== $this->tokens) {
            Request::identifyBy(fn (): ?string => $this->tokens->getToken()?->getUserIdentifier());
        }
    }

    public function onKernelTerminate(): void
    {
        if ($this->begins && \extension_loaded('ratelimit')) {
            Request::end();
        }
    }
}
