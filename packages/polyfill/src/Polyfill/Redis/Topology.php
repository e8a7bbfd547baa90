<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Guard\StoreFailure;

/** Chooses the server of a key. */
interface Topology
{
    /**
     * Returns the server that decides about a key, connected.
     *
     * @throws StoreFailure
     */
    public function server(string $key): Server;

    /**
     * Returns the server of a slot, connected; without slots the one server.
     *
     * @throws StoreFailure
     */
    public function serverOfSlot(int $slot): Server;

    /** Returns the first slot of the next server behind a slot whose server no slot before it has; null: there is none. */
    public function slotOfNextServer(int $slot): ?int;

    /** Judges an error reply to a question about a key: one of Redirect's constants, and the server to ask once. */
    public function redirect(ErrorReply $reply, string $key, Server $replied): Redirect;

    /** Notes that a connection was lost. */
    public function lost(Server $server): void;
}
