<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests\App;

use Psr\Container\ContainerInterface;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

/** Calls a route's processor as the main controller of API Platform does: out of a locator, by the name in the route. */
final class ResourceController
{
    public function __construct(private readonly ContainerInterface $processors)
    {
    }

    public function __invoke(Request $request): Response
    {
        $data = json_decode($request->getContent(), true);

        return new JsonResponse($this->processors->get((string) $request->attributes->get('_api_processor'))->process($data, new \stdClass()), 201);
    }
}
