<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests\App;

use FrequencyLimit\RateLimit;

/** A processor as of API Platform, with its signature. */
#[RateLimit('books')]
final class BookProcessor
{
    /**
     * @param array<string, mixed> $uriVariables
     * @param array<string, mixed> $context
     */
    public function process(mixed $data, object $operation, array $uriVariables = [], array $context = []): mixed
    {
        return $data;
    }
}
