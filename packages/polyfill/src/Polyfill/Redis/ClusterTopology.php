<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Guard\StoreFailure;

/** The nodes of a cluster, by the slots of the keys. */
final class ClusterTopology implements Topology
{
    public const SLOTS = 16_384;
    private const LATER = ['TRYAGAIN', 'CLUSTERDOWN', 'LOADING', 'MASTERDOWN'];

    /** @var array<string, Server> by address */
    private array $nodes = [];
    /** @var array<int, Address> by slot */
    private array $slots = [];

    public function __construct(private readonly Dsn $dsn, private readonly Timeouts $timeouts)
    {
    }

    public function server(string $key): Server
    {
        return $this->serverOfSlot(self::slot($key));
    }

    public function slotOfNextServer(int $slot): ?int
    {
        $seen = [];
        for ($i = 0; $i < self::SLOTS; $i++) {
            $address = isset($this->slots[$i]) ? $this->slots[$i]->text() : null;
            if ($i > $slot && $address !== null && !isset($seen[$address])) {
                return $i;
            }
            $seen[$address ?? ''] = true;
        }
        return null;
    }

    public function serverOfSlot(int $slot): Server
    {
        if (!$this->slots) {
            $this->readSlots();
        }
        $address = $this->slots[$slot] ?? $this->dsn->addresses[0];
        $node = $this->node($address);
        try {
            $node->connect();
        } catch (StoreFailure $e) {
            $this->lost($node);
            throw $e;
        }
        return $node;
    }

    private function node(Address $address): Server
    {
        return $this->nodes[$address->text()] ??= new Server($this->dsn, $address, Server::AS_NODE, $this->timeouts, true);
    }

    /** @throws StoreFailure */
    private function readSlots(): void
    {
        $failure = null;
        foreach ($this->dsn->addresses as $address) {
            $node = $this->node($address);
            try {
                $reply = $node->send([['CLUSTER', 'SLOTS']])[0];
            } catch (StoreFailure $e) {
                $failure ??= $e;
                continue;
            }
            if (\is_array($reply) && $this->takeSlots($reply, $address)) {
                return;
            }
            $failure ??= $node->failure(
                $reply instanceof ErrorReply ? $reply->getMessage() : 'the reply to CLUSTER SLOTS is not a cluster\'s',
                $reply instanceof ErrorReply ? $reply->status() : StoreFailure::UNAVAILABLE,
            );
        }
        throw $failure ?? new StoreFailure(Label::message($this->dsn->label, 'there is no node'), StoreFailure::UNAVAILABLE);
    }

    /** @param array<mixed> $ranges */
    private function takeSlots(array $ranges, Address $asked): bool
    {
        foreach ($ranges as $range) {
            if (!\is_array($range) || !\is_int($range[0] ?? null) || !\is_int($range[1] ?? null) || !\is_array($range[2] ?? null)) {
                return false;
            }
            $host = $range[2][0] ?? '';
            $port = $range[2][1] ?? 0;
            $address = self::address(\is_string($host) ? $host : '', \is_int($port) ? $port : 0, $asked);
            for ($slot = max(0, $range[0]); $slot <= $range[1] && $slot < self::SLOTS; $slot++) {
                $this->slots[$slot] = $address;
            }
        }
        return $this->slots !== [];
    }

    /** A node that does not know its own address is at the one that was asked. */
    private static function address(string $host, int $port, Address $asked): Address
    {
        return new Address($host === '' || $host === '?' ? $asked->host : $host, $port);
    }

    public function redirect(ErrorReply $reply, string $key, Server $replied): Redirect
    {
        foreach (self::LATER as $word) {
            if ($reply->is($word)) {
                return new Redirect(Redirect::RETRY_LATER);
            }
        }
        if ($reply->is('READONLY')) {
            $this->slots = [];
            return new Redirect(Redirect::RETRY_LATER);
        }
        $moved = $reply->is('MOVED');
        if (!$moved && !$reply->is('ASK')) {
            return new Redirect(Redirect::NONE);
        }
        $place = $reply->words()[2] ?? '';
        $colon = strrpos($place, ':');
        if ($colon === false) {
            return new Redirect(Redirect::NONE);
        }
        $address = self::address(substr($place, 0, $colon), (int) substr($place, $colon + 1), $replied->address);
        if ($moved) {
            $this->slots[self::slot($key)] = $address;
            return new Redirect(Redirect::MOVED);
        }
        return new Redirect(Redirect::ASK, $this->node($address));
    }

    public function lost(Server $server): void
    {
        $server->close();
        $this->slots = [];
    }

    /** Returns the slot of a key: CRC16 (XMODEM) of the part in braces, if there is one, else of the whole key. */
    public static function slot(string $key): int
    {
        if (preg_match('/\{([^}]+)\}/s', strstr($key, '{') ?: '', $found, PREG_OFFSET_CAPTURE) === 1 && $found[0][1] === 0) {
            $key = $found[1][0];
        }
        $crc = 0;
        for ($i = 0, $n = \strlen($key); $i < $n; $i++) {
            $crc ^= \ord($key[$i]) << 8;
            for ($bit = 0; $bit < 8; $bit++) {
                $crc = $crc & 0x8000 ? ($crc << 1 ^ 0x1021) & 0xffff : $crc << 1;
            }
        }
        return $crc % self::SLOTS;
    }
}
