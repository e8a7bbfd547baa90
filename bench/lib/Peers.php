<?php

require_once __DIR__ . '/attributed.php';

/** Creates the peers: each once, outside every measured loop. */
final class Peers
{
    /** The usual script of projects; it counts refused calls, too, which saves a GET. */
    public const SCRIPT = <<<'LUA'
        local count = redis.call('INCR', KEYS[1])
        if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
        return count <= tonumber(ARGV[2]) and 1 or 0
        LUA;
    public const SCRIPT_SHA = 'ef485762e067b12a84ee9918694da76360df6e12';

    /** The minimal script that does not count refusals: it has no window, and so is no limiter. */
    public const LOOKS = <<<'LUA'
        if tonumber(redis.call('GET', KEYS[1]) or 0) >= tonumber(ARGV[1]) then return 0 end
        return redis.call('INCR', KEYS[1])
        LUA;

    /** A token bucket as projects write it (GCRA): the moment at which the bucket is full again, in us. */
    public const GCRA = <<<'LUA'
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local period = ARGV[2] * 1000000
        local full_at = math.max(now, tonumber(redis.call('GET', KEYS[1]) or 0)) + period / ARGV[1]
        if full_at - now > period then return 0 end
        redis.call('SET', KEYS[1], string.format('%.0f', full_at), 'PX', math.ceil((full_at - now) / 1000))
        return 1
        LUA;

    /** A sliding log as projects write it: a sorted set of moments in us. A script takes longer than 1 us, so no moment comes twice. */
    public const LOG = <<<'LUA'
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now - ARGV[2] * 1000000)
        if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
        redis.call('ZADD', KEYS[1], now, string.format('%.0f', now))
        redis.call('PEXPIRE', KEYS[1], ARGV[2] * 1000)
        return 1
        LUA;

    private static ?\Redis $redis = null;
    private static ?\Predis\Client $predis = null;
    private static bool $pinged = false;
    private static array $made = [];

    /** Returns BENCH_REDIS, a path or 127.0.0.1:port, as [host or path, port or 0]. */
    private static function server(): array
    {
        $where = (string) getenv('BENCH_REDIS');
        return $where[0] === '/' ? [$where, 0] : [strtok($where, ':'), (int) strtok(':')];
    }

    /** Returns a function that counts a call of a key: eight calls, which an application would collect first, have one write. */
    public static function eightAWrite(): \Closure
    {
        $redis = self::redis();
        $counts = [];
        return static function (string $key) use ($redis, &$counts): int {
            if (($counts[$key] ?? []) === []) {
                $pipeline = $redis->pipeline();
                for ($i = 0; $i < 8; ++$i) {
                    $pipeline->incr($key)->rawCommand('EXPIRE', $key, 3600, 'NX');
                }
                $counts = [$key => array_reverse(array_filter($pipeline->exec(), static fn (int $reply, int $i): bool => $i % 2 === 0, ARRAY_FILTER_USE_BOTH))];
            }
            return array_pop($counts[$key]);
        };
    }

    private static function dsn(): string
    {
        [$host, $port] = self::server();
        return $port ? "redis://$host:$port" : "unix://$host";
    }

    public static function redis(): \Redis
    {
        if (self::$redis === null) {
            self::$redis = new \Redis();
            self::$redis->connect(...self::server());
            if (self::$redis->script('load', self::SCRIPT) !== self::SCRIPT_SHA) {
                throw new \RuntimeException('SCRIPT_SHA is not the SHA-1 of SCRIPT');
            }
        }
        return self::$redis;
    }

    /** @return callable(string, int ...): mixed runs the script for a key */
    public static function script(string $script): callable
    {
        $redis = self::redis();
        $sha1 = self::$made[$script] ??= $redis->script('load', $script);
        return static fn (string $key, int ...$arguments): mixed => $redis->evalSha($sha1, [$key, ...$arguments], 1);
    }

    public static function predis(): \Predis\Client
    {
        [$host, $port] = self::server();
        return self::$predis ??= new \Predis\Client($port
            ? ['scheme' => 'tcp', 'host' => $host, 'port' => $port] : ['scheme' => 'unix', 'path' => $host]);
    }

    /** The connection of RatelimitFloor::ping(). */
    public static function ping(): void
    {
        if (!self::$pinged && !(self::$pinged = RatelimitFloor::connect(...self::server()))) {
            throw new \RuntimeException('no connection for PING');
        }
    }

    /** @param string $storage memory, apcu or redis; behind an @ what its locks are made of: flock or redis */
    public static function symfony(string $policy, string $storage, int $number): Symfony\Component\RateLimiter\RateLimiterFactory
    {
        [$where, $lock] = explode('@', $storage) + [1 => null];
        return self::$made["$policy $storage $number"] ??= new Symfony\Component\RateLimiter\RateLimiterFactory(
            ['id' => "$policy $number $lock", 'policy' => $policy, 'limit' => $number, 'interval' => '1 hour',
                'rate' => ['interval' => '100 hours', 'amount' => $number]],
            match ($where) {
                'memory' => new Symfony\Component\RateLimiter\Storage\InMemoryStorage(),
                'apcu' => new Symfony\Component\RateLimiter\Storage\CacheStorage(
                    new Symfony\Component\Cache\Adapter\ApcuAdapter('symfony')),
                'redis' => new Symfony\Component\RateLimiter\Storage\CacheStorage(
                    new Symfony\Component\Cache\Adapter\RedisAdapter(self::redis(), 'symfony')),
            },
            match ($lock) {
                null => null,
                'flock' => new Symfony\Component\Lock\LockFactory(new Symfony\Component\Lock\Store\FlockStore()),
                'redis' => new Symfony\Component\Lock\LockFactory(new Symfony\Component\Lock\Store\RedisStore(self::redis())),
            },
        );
    }

    public static function laravel(string $storage): Illuminate\Cache\RateLimiter
    {
        return self::$made["laravel $storage"] ??= new Illuminate\Cache\RateLimiter(new Illuminate\Cache\Repository(match ($storage) {
            'array' => new Illuminate\Cache\ArrayStore(),
            'apcu' => new Illuminate\Cache\ApcStore(new Illuminate\Cache\ApcWrapper(), 'laravel'),
            'redis' => new Illuminate\Cache\RedisStore(self::laravelRedis(), 'laravel'),
        }));
    }

    /** @param string $store shm or redis */
    public static function places(string $store): FrequencyLimit\Limiter
    {
        return self::$made["places $store"] ??= new FrequencyLimit\Limiter('places', FrequencyLimit\Limit::concurrent(10, 600),
            $store === 'shm' ? 'shm:' : self::dsn());
    }

    public static function semaphores(): Symfony\Component\Semaphore\SemaphoreFactory
    {
        return self::$made['semaphores'] ??= new Symfony\Component\Semaphore\SemaphoreFactory(
            new Symfony\Component\Semaphore\Store\RedisStore(self::redis()));
    }

    /** A System V semaphore with so many places; the kernel keeps it until the end of this process. */
    public static function systemSemaphore(int $id, int $places): SysvSemaphore
    {
        static $made = [];
        if ($made === []) {
            register_shutdown_function(static function () use (&$made): void {
                array_map('sem_remove', $made);
            });
        }
        // A key for each identity, and others for other programs.
        return $made[$id] ??= sem_get(0x5e000000 + $id % 0x1000000, $places);
    }

    public static function locks(): Symfony\Component\Lock\LockFactory
    {
        return self::$made['locks'] ??= new Symfony\Component\Lock\LockFactory(new Symfony\Component\Lock\Store\RedisStore(self::redis()));
    }

    public static function laravelCache(): Illuminate\Cache\Repository
    {
        return self::$made['laravel cache'] ??= new Illuminate\Cache\Repository(new Illuminate\Cache\RedisStore(self::laravelRedis(), 'laravel'));
    }

    public static function laravelRedis(): Illuminate\Redis\RedisManager
    {
        [$host, $port] = self::server();
        return self::$made['laravel manager'] ??= new Illuminate\Redis\RedisManager(
            new Illuminate\Container\Container(), 'phpredis', ['default' => ['host' => $host, 'port' => $port]]);
    }
}

/** The cheapest function that an application could call instead. */
final class UserlandFloor
{
    public static function doHandle(string $action, int $userId, int $time, int $number, ?array $expire = []): bool
    {
        return true;
    }
}
