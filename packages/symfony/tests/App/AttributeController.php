<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests\App;

use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Attribute\RateLimit;

/** Has Symfony's own attribute, of Symfony 8.1 and later. */
final class AttributeController
{
    #[RateLimit('api')]
    public function __invoke(): Response
    {
        return new Response();
    }
}
