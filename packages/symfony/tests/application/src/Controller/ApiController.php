<?php

namespace App\Controller;

use App\Message\Job;
use FrequencyLimit\RateLimit;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\Messenger\MessageBusInterface;
use Symfony\Component\Routing\Attribute\Route;

/** Its limiter is a section of the file of ratelimit.limiters. */
#[RateLimit('api')]
#[Route('/api')]
final class ApiController
{
    #[Route('/books', methods: 'GET')]
    public function books(): Response
    {
        return new JsonResponse([]);
    }

    #[RateLimit('orders', needLogin: true)]
    #[Route('/jobs', methods: 'POST')]
    public function order(MessageBusInterface $bus): Response
    {
        $bus->dispatch(new Job());

        return new JsonResponse([], 202);
    }
}
