<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Guard\StoreFailure;

/** A master whose address sentinels give. */
final class SentinelTopology implements Topology
{
    private ?Server $master = null;

    public function __construct(private readonly Dsn $dsn, private readonly Timeouts $timeouts)
    {
    }

    public function server(string $key): Server
    {
        if ($this->master === null) {
            $master = $this->find();
            $master->connect();
            $this->master = $master;
        } else {
            try {
                $this->master->connect();
            } catch (StoreFailure) {
                $this->master = null;
                return $this->server($key);
            }
        }
        return $this->master;
    }

    /** @throws StoreFailure */
    private function find(): Server
    {
        $failure = null;
        foreach ($this->dsn->addresses as $address) {
            $sentinel = new Server($this->dsn, $address, Server::AS_SENTINEL, $this->timeouts, true);
            try {
                $reply = $sentinel->send([['SENTINEL', 'get-master-addr-by-name', $this->dsn->master]])[0];
            } catch (StoreFailure $e) {
                $failure ??= $e;
                continue;
            }
            if (\is_array($reply) && \is_string($reply[0] ?? null) && is_numeric($reply[1] ?? null)) {
                return new Server($this->dsn, new Address($reply[0], (int) $reply[1]), Server::AS_MASTER, $this->timeouts, true);
            }
            $failure ??= $sentinel->failure(
                $reply instanceof ErrorReply ? $reply->getMessage() : "it does not know a master \"{$this->dsn->master}\"",
                $reply instanceof ErrorReply ? $reply->status() : StoreFailure::UNAVAILABLE,
            );
        }
        throw $failure ?? new StoreFailure(Label::message($this->dsn->label, 'there is no sentinel'), StoreFailure::UNAVAILABLE);
    }

    public function serverOfSlot(int $slot): Server
    {
        return $this->server('');
    }

    public function slotOfNextServer(int $slot): ?int
    {
        return null;
    }

    /** A master that became a replica refuses writes: the sentinels have another one. */
    public function redirect(ErrorReply $reply, string $key, Server $replied): Redirect
    {
        if (!$reply->is('READONLY')) {
            return new Redirect(Redirect::NONE);
        }
        $this->lost($replied);
        return new Redirect(Redirect::RETRY_LATER);
    }

    public function lost(Server $server): void
    {
        $server->close();
        $this->master = null;
    }
}
