<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Guard\Guards;
use FrequencyLimit\Polyfill\Guard\StoreFailure;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\StoreException;

/** Reads the keys of ratelimit.store page by page, for FrequencyLimit::scan(). */
final class Scan
{
    /** The keys that one SCAN looks at. */
    private const COUNT = 1_000;

    /**
     * @param string $position "slot:cursor"; "" is the beginning
     * @return array{next: string, keys: list<array{kind: 'action'|'limiter', name: string, by: string|null, identity: int|string}>}
     * @throws \FrequencyLimit\InvalidArgument
     * @throws StoreException
     */
    public static function page(string $position): array
    {
        if ($position !== '' && (preg_match('/^(\d{1,5}):(\d{1,20})$/D', $position, $found) !== 1 || (int) $found[1] >= ClusterTopology::SLOTS)) {
            throw Argument::invalid('$position must be "" or the "next" of the last page');
        }
        $store = Guards::of()->redis();
        if ($store === null) {
            return ['next' => '', 'keys' => []];
        }
        try {
            return self::read($store, (int) ($found[1] ?? 0), $found[2] ?? '0');
        } catch (StoreFailure $e) {
            throw new StoreException($e->getMessage(), $e->status);
        }
    }

    /**
     * @return array{next: string, keys: list<array{kind: 'action'|'limiter', name: string, by: string|null, identity: int|string}>}
     * @throws StoreFailure
     */
    private static function read(RedisStore $store, int $slot, string $cursor): array
    {
        $prefix = $store->prefix();
        $server = $store->topology()->serverOfSlot($slot);
        $pattern = addcslashes($prefix, '*?[]\\^-') . '*';
        $reply = $server->send([['SCAN', $cursor, 'MATCH', $pattern, 'COUNT', (string) self::COUNT, 'TYPE', 'string']])[0];
        if ($reply instanceof ErrorReply) {
            throw new StoreFailure('Redis refuses SCAN: ' . substr($reply->getMessage(), 0, 200), StoreFailure::MISCONFIGURED);
        }
        if (!\is_array($reply) || !\is_string($reply[0] ?? null) || !\is_array($reply[1] ?? null)) {
            throw $server->failure('the reply to SCAN is not a Redis server\'s', StoreFailure::UNAVAILABLE);
        }
        $keys = [];
        foreach ($reply[1] as $text) {
            $key = \is_string($text) && str_starts_with($text, $prefix) ? Key::read(substr($text, \strlen($prefix))) : null;
            if ($key !== null && \in_array($key->space, [Key::ACTION, Key::LIMITER, Key::LABEL], true)) {
                $keys[] = ['kind' => $key->space === Key::ACTION ? 'action' : 'limiter', 'name' => $key->ownName(), 'by' => $key->label(),
                    'identity' => $key->id];
            }
        }
        $next = $reply[0] === '0' ? $store->topology()->slotOfNextServer($slot) : $slot;
        return ['next' => $next === null ? '' : "$next:$reply[0]", 'keys' => $keys];
    }
}
