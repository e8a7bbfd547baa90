<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** A connection by the extension phpredis. */
final class PhpredisConnection implements Connection
{
    private readonly \Redis $redis;

    /** @throws ConnectionLost */
    public function __construct(Address $address, Tls $tls, int $connectTimeoutMs, int $timeoutMs)
    {
        $this->redis = new \Redis();
        $host = $address->isUnix() ? $address->host : ($tls->on ? "tls://$address->host" : $address->host);
        $options = $tls->on ? ['stream' => $tls->contextOptions($address->host)] : [];
        try {
            $connected = @$this->redis->connect(
                $host,
                $address->port,
                $connectTimeoutMs / 1000,
                null,
                0,
                $timeoutMs / 1000,
                ...($options ? [$options] : []),
            );
        } catch (\RedisException $e) {
            throw new ConnectionLost('cannot connect: ' . $e->getMessage(), false);
        }
        if (!$connected) {
            throw new ConnectionLost('cannot connect', false);
        }
        /* A lost connection is an error here: this client would send a command again on a new one. */
        if (\defined('Redis::OPT_MAX_RETRIES')) {
            $this->redis->setOption(\Redis::OPT_MAX_RETRIES, 0);
        }
    }

    public function send(array $commands): array
    {
        $replies = [];
        try {
            if (\count($commands) === 1) {
                return [$this->one($commands[0])];
            }
            $replies = $this->pipelined($commands);
        } catch (\RedisException $e) {
            throw new ConnectionLost($e->getMessage(), true);
        }
        return $replies;
    }

    /** @param list<string> $command */
    private function one(array $command): mixed
    {
        $this->redis->clearLastError();
        try {
            $reply = $this->redis->rawCommand(...$command);
        } catch (\RedisException $e) {
            if (self::isErrorReply($e->getMessage())) {
                return new ErrorReply($e->getMessage());
            }
            throw $e;
        }
        $error = $reply === false ? $this->redis->getLastError() : null;
        return $error === null ? ($reply === false ? null : $reply) : new ErrorReply($error);
    }

    /**
     * @param list<list<string>> $commands
     * @return list<mixed>
     */
    private function pipelined(array $commands): array
    {
        $pipeline = $this->redis->pipeline();
        foreach ($commands as $command) {
            $pipeline->rawCommand(...$command);
        }
        $replies = $pipeline->exec();
        if (!\is_array($replies) || \count($replies) !== \count($commands)) {
            throw new ConnectionLost('the reply is no answer to the questions', true);
        }
        /* This client keeps the text of the last error only. A command with an error was not carried out: it is sent again. */
        foreach ($replies as $i => $reply) {
            if ($reply === false) {
                $replies[$i] = $this->one($commands[$i]);
            }
        }
        return array_values($replies);
    }

    /** This client throws some error replies, as it throws what happens to the connection. */
    private static function isErrorReply(string $message): bool
    {
        return preg_match('/^[A-Z][A-Z_]{2,}( |$)/', $message) === 1;
    }
}
