<?php

namespace Fruitcake\Cors;

use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

/** Adds no header: the tests make no cross-origin requests. */
final class CorsService
{
    /** @param array<string, mixed> $options */
    public function setOptions(array $options): void
    {
    }

    public function isPreflightRequest(Request $request): bool
    {
        return false;
    }

    public function varyHeader(Response $response, string $header): Response
    {
        return $response;
    }

    public function addActualRequestHeaders(Response $response, Request $request): Response
    {
        return $response;
    }
}
