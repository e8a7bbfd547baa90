<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

use Psr\Http\Client\ClientExceptionInterface;

/** The request was not sent, because its turn does not come in time. The previous exception is FrequencyLimit\LimitExceeded. */
final class TurnNotReached extends \RuntimeException implements ClientExceptionInterface
{
}
