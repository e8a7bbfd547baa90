<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient;

use FrequencyLimit\LimitExceeded;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;

/** Lets the requests of a PSR-18 client wait their turn. */
final class Psr18Client implements ClientInterface
{
    public function __construct(private readonly ClientInterface $client, private readonly RemoteLimit $remote)
    {
    }

    /** @throws TurnNotReached when the turn does not come within the remote's maxWait */
    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        $call = $this->remote->begin($request->getMethod(), (string) $request->getUri());
        $response = null;
        do {
            try {
                $call?->await();
            } catch (LimitExceeded $e) {
                return $response ?? throw new TurnNotReached($e->getMessage(), 0, $e);
            }
            $response = $this->client->sendRequest($request);
        } while ($call?->answered($response->getStatusCode(), $response->getHeaderLine(...)) && self::rewind($request));

        return $response;
    }

    /**
     * Makes a request ready to be sent again; false: its body is gone.
     *
     * @internal
     */
    public static function rewind(RequestInterface $request): bool
    {
        $body = $request->getBody();
        if ($body->isSeekable()) {
            $body->rewind();

            return true;
        }

        return 0 === $body->getSize();
    }
}
