<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use Predis\Client;
use Predis\Command\RawCommand;
use Predis\PredisException;
use Predis\Response\ErrorInterface;
use Predis\Response\Status;

/** A connection by the library Predis. */
final class PredisConnection implements Connection
{
    private readonly Client $client;

    /** @throws ConnectionLost */
    public function __construct(Address $address, Tls $tls, int $connectTimeoutMs, int $timeoutMs)
    {
        $parameters = $address->isUnix() ? ['scheme' => 'unix', 'path' => $address->host]
            : ['scheme' => $tls->on ? 'tls' : 'tcp', 'host' => $address->host, 'port' => $address->port];
        $parameters += ['timeout' => $connectTimeoutMs / 1000, 'read_write_timeout' => $timeoutMs / 1000];
        if ($tls->on) {
            $parameters['ssl'] = $tls->contextOptions($address->host);
        }
        $this->client = new Client($parameters, ['exceptions' => false]);
        try {
            $this->client->connect();
        } catch (PredisException $e) {
            throw new ConnectionLost('cannot connect: ' . self::text($e), false);
        }
    }

    public function send(array $commands): array
    {
        $connection = $this->client->getConnection();
        try {
            $raw = array_map(static fn (array $command): RawCommand => new RawCommand((string) array_shift($command), $command), $commands);
            foreach ($raw as $command) {
                $connection->writeRequest($command);
            }
            return array_map(static fn (RawCommand $command): mixed => self::plain($connection->readResponse($command)), $raw);
        } catch (PredisException $e) {
            throw new ConnectionLost(self::text($e), true);
        }
    }

    private static function plain(mixed $reply): mixed
    {
        return match (true) {
            $reply instanceof ErrorInterface => new ErrorReply($reply->getMessage()),
            $reply instanceof Status => $reply->getPayload(),
            default => $reply,
        };
    }

    /** This library adds the parameters to its messages, of which one may be a password. */
    private static function text(PredisException $e): string
    {
        return (string) preg_replace('/ \[.*$/s', '', $e->getMessage());
    }
}
