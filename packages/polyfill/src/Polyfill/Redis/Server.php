<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Guard\StoreFailure;
use FrequencyLimit\Polyfill\Time;

/** One server, and the connection to it. */
final class Server
{
    public const AS_MASTER = 1;
    public const AS_NODE = 2;
    public const AS_SENTINEL = 3;

    private const VERSION_MIN = '6.2';
    /** A connection that was idle for longer may be closed by now: it is tried first. */
    private const FRESH_US = 1_000_000;

    public readonly string $label;
    private ?Connection $connection = null;
    private int $usedAt = 0;
    /** Of a node of a cluster, which fails by itself: the latest failure, and when it is tried again. */
    private ?StoreFailure $down = null;
    private int $downUntil = 0;

    /** @param int $role one of the constants */
    public function __construct(
        private readonly Dsn $dsn,
        public readonly Address $address,
        private readonly int $role,
        private readonly Timeouts $timeouts,
        bool $named,
    ) {
        $word = [self::AS_MASTER => 'master', self::AS_NODE => 'node', self::AS_SENTINEL => 'sentinel'][$role];
        $this->label = $named ? "$dsn->label: $word {$address->text()}" : $dsn->label;
    }

    /**
     * Makes the connection, if there is none that works.
     *
     * @throws StoreFailure
     */
    public function connect(): void
    {
        if ($this->connection !== null && Time::trueMono() - $this->usedAt > self::FRESH_US) {
            $this->probe($this->connection);
        }
        if ($this->connection !== null) {
            return;
        }
        if ($this->down !== null && Time::trueMono() < $this->downUntil) {
            throw $this->down;
        }
        try {
            $connection = $this->open();
            $this->handshake($connection);
        } catch (ConnectionLost $e) {
            throw $this->noteDown($this->failure($e->getMessage(), StoreFailure::UNAVAILABLE));
        }
        $this->connection = $connection;
        $this->down = null;
        $this->usedAt = Time::trueMono();
    }

    private function noteDown(StoreFailure $failure): StoreFailure
    {
        if ($this->role === self::AS_NODE) {
            $this->down = $failure;
            $this->downUntil = Time::trueMono() + $this->timeouts->retryDelayMs * 1000;
        }
        return $failure;
    }

    private function probe(Connection $connection): void
    {
        try {
            $connection->send([['HELLO']]); /* the one command that every user may send */
        } catch (ConnectionLost) {
            $this->connection = null;
        }
    }

    private function open(): Connection
    {
        $client = $this->timeouts->client;
        $class = match (true) {
            $client !== 'predis' && \extension_loaded('redis') => PhpredisConnection::class,
            $client !== 'phpredis' && class_exists(\Predis\Client::class) => PredisConnection::class,
            default => throw $this->failure(
                'no client library: install the extension redis (phpredis), or run "composer require predis/predis"',
                StoreFailure::MISCONFIGURED,
            ),
        };
        return new $class($this->address, $this->dsn->tls, $this->timeouts->connectMs, $this->timeouts->replyMs);
    }

    private function handshake(Connection $connection): void
    {
        $login = $this->role === self::AS_SENTINEL ? $this->dsn->sentinelLogin : $this->dsn->login;
        if ($login !== null) {
            $this->expect($connection, $login->command());
        }
        if ($this->role === self::AS_SENTINEL) {
            return;
        }
        $this->judgeHello($this->expect($connection, ['HELLO', '2']));
        if ($this->dsn->db > 0) {
            $this->expect($connection, ['SELECT', (string) $this->dsn->db]);
        }
    }

    /** @param list<string> $command */
    private function expect(Connection $connection, array $command): mixed
    {
        $reply = $connection->send([$command])[0];
        if ($reply instanceof ErrorReply) {
            $text = $command[0] === 'HELLO' && str_contains($reply->getMessage(), 'nknown command')
                ? 'it does not know HELLO: Redis ' . self::VERSION_MIN . ' or later is required' : $reply->getMessage();
            throw $this->failure($text, $reply->status());
        }
        return $reply;
    }

    private function judgeHello(mixed $reply): void
    {
        $facts = [];
        foreach (\is_array($reply) ? array_chunk($reply, 2) : [] as $fact) {
            if (\is_string($fact[0]) && \is_string($fact[1] ?? null)) {
                $facts[$fact[0]] = $fact[1];
            }
        }
        $version = $facts['version'] ?? '';
        if (preg_match('/^\d+\.\d+/', $version) !== 1) {
            throw $this->failure('the reply to HELLO is not a Redis server\'s', StoreFailure::UNAVAILABLE);
        }
        if (version_compare($version, self::VERSION_MIN, '<')) {
            throw $this->failure("Redis $version is too old, " . self::VERSION_MIN . ' or later is required', StoreFailure::MISCONFIGURED);
        }
        /* A replica would answer every question that writes nothing, from a stale state. In a cluster it redirects. */
        if ($this->role !== self::AS_NODE && ($facts['role'] ?? '') !== 'master') {
            throw $this->failure('it is a replica, which cannot count: configure the master\'s address', StoreFailure::UNAVAILABLE);
        }
    }

    /**
     * @param non-empty-list<list<string>> $commands
     * @return list<mixed>
     * @throws StoreFailure
     */
    public function send(array $commands): array
    {
        $this->connect();
        try {
            $replies = $this->connection?->send($commands) ?? [];
        } catch (ConnectionLost $e) {
            $this->close();
            throw $this->noteDown($this->failure($e->getMessage(), StoreFailure::UNAVAILABLE));
        }
        $this->usedAt = Time::trueMono();
        return $replies;
    }

    public function close(): void
    {
        $this->connection = null;
    }

    public function failure(string $reason, int $status, bool $questionOnly = false): StoreFailure
    {
        return new StoreFailure(Label::message($this->label, $reason), $status, $questionOnly);
    }
}
