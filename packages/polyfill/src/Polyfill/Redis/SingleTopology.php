<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** One server. */
final class SingleTopology implements Topology
{
    private readonly Server $server;

    public function __construct(Dsn $dsn, Timeouts $timeouts)
    {
        $this->server = new Server($dsn, $dsn->addresses[0], Server::AS_MASTER, $timeouts, false);
    }

    public function server(string $key): Server
    {
        $this->server->connect();
        return $this->server;
    }

    public function serverOfSlot(int $slot): Server
    {
        return $this->server('');
    }

    public function slotOfNextServer(int $slot): ?int
    {
        return null;
    }

    public function redirect(ErrorReply $reply, string $key, Server $replied): Redirect
    {
        return new Redirect(Redirect::NONE);
    }

    public function lost(Server $server): void
    {
    }
}
