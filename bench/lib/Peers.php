<?php

/** How the peers are made: each once, outside every measured loop. */
final class Peers
{
    /** What is usually found in projects; it counts refused calls too, which saves it a GET. */
    public const SCRIPT = <<<'LUA'
        local count = redis.call('INCR', KEYS[1])
        if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
        return count <= tonumber(ARGV[2]) and 1 or 0
        LUA;
    public const SCRIPT_SHA = 'ef485762e067b12a84ee9918694da76360df6e12';

    private static ?\Redis $redis = null;
    private static ?\Predis\Client $predis = null;
    private static array $made = [];

    public static function redis(): \Redis
    {
        if (self::$redis === null) {
            self::$redis = new \Redis();
            self::$redis->connect(getenv('BENCH_REDIS'));
            if (self::$redis->script('load', self::SCRIPT) !== self::SCRIPT_SHA) {
                throw new \RuntimeException('SCRIPT_SHA is not the SHA-1 of SCRIPT');
            }
        }
        return self::$redis;
    }

    public static function predis(): \Predis\Client
    {
        return self::$predis ??= new \Predis\Client(['scheme' => 'unix', 'path' => getenv('BENCH_REDIS')]);
    }

    public static function symfony(string $policy, string $storage, int $number): object
    {
        return self::$made["$policy $storage $number"] ??= new Symfony\Component\RateLimiter\RateLimiterFactory(
            ['id' => "$policy $number", 'policy' => $policy, 'limit' => $number, 'interval' => '1 hour',
                'rate' => ['interval' => '100 hours', 'amount' => $number]],
            match ($storage) {
                'memory' => new Symfony\Component\RateLimiter\Storage\InMemoryStorage(),
                'apcu' => new Symfony\Component\RateLimiter\Storage\CacheStorage(
                    new Symfony\Component\Cache\Adapter\ApcuAdapter('symfony')),
                'redis' => new Symfony\Component\RateLimiter\Storage\CacheStorage(
                    new Symfony\Component\Cache\Adapter\RedisAdapter(self::redis(), 'symfony')),
            },
        );
    }

    public static function laravel(string $storage): Illuminate\Cache\RateLimiter
    {
        return self::$made["laravel $storage"] ??= new Illuminate\Cache\RateLimiter(new Illuminate\Cache\Repository(
            $storage === 'array' ? new Illuminate\Cache\ArrayStore() : new Illuminate\Cache\ApcStore(new Illuminate\Cache\ApcWrapper(), 'laravel')));
    }
}

/** The cheapest thing that an application could call instead. */
final class UserlandFloor
{
    public static function doHandle(string $action, int $userId, int $time, int $number, ?array $expire = []): bool
    {
        return true;
    }
}
