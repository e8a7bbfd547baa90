<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests\App;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\LoginRequired;
use FrequencyLimit\RateLimit;
use Ratelimit\Symfony\Decision;
use Symfony\Component\DependencyInjection\Attribute\Autowire;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Exception\TooManyRequestsHttpException;
use Symfony\Component\HttpKernel\HttpKernelInterface;

final class Controllers
{
    /** As in Symfony's documentation. */
    public function decision(Request $request, #[Autowire(service: 'limiter.api')] object $limiter): Response
    {
        $limit = $limiter->create($request->getClientIp())->consume();
        if (!$limit->isAccepted()) {
            throw new TooManyRequestsHttpException($limit->getRetryAfter()->getTimestamp() - time());
        }

        return new Response('', 200, ['X-RateLimit-Remaining' => (string) $limit->getRemainingTokens(), 'X-RateLimit-Limit' => (string) $limit->getLimit()]);
    }

    public function ensured(Request $request, #[Autowire(service: 'limiter.api')] object $limiter): Response
    {
        $limit = $limiter->create($request->getClientIp())->consume()->ensureAccepted();

        return new Response('', 200, $limit instanceof Decision ? $limit->getHeaders() : []);
    }

    /** Has a sub-request in front of its decision, as a page with an embedded one. */
    public function embedding(Request $request, HttpKernelInterface $kernel, #[Autowire(service: 'limiter.api')] object $limiter): Response
    {
        $kernel->handle($request->duplicate(attributes: ['_controller' => [self::class, 'secret']]), HttpKernelInterface::SUB_REQUEST);

        return $this->decision($request, $limiter);
    }

    public function thrown(): Response
    {
        (new Limiter('thrown', Limit::fixedWindow(1, 60)))->consume(1)->ensureAccepted();

        return new Response();
    }

    public function login(): Response
    {
        throw new LoginRequired('Log in.');
    }

    /** A limiter of the application, by the extension's own attribute. */
    #[RateLimit('search', id: 'tenant')]
    public function search(string $tenant): Response
    {
        return new Response($tenant);
    }

    #[RateLimit('own', needLogin: true)]
    public function own(): Response
    {
        return new Response('own');
    }

    public function secret(): Response
    {
        return new Response('secret');
    }
}
