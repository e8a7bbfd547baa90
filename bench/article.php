<?php

/**
 * The listing of the article "Redis实战之限制操作频率", from which many sites start: the same commands in the same
 * order. It admits one call fewer than $number, and a crash between INCR and EXPIRE leaves a key without an expiry.
 */
final class ArticleListing
{
    public function __construct(private readonly \Redis|\Predis\Client $redis)
    {
    }

    public function frequencyLimit(string $action, int $userId, int $time, int $number, array $expire = []): bool
    {
        if (empty($action) || $userId <= 0 || $time <= 0 || $number <= 0) {
            throw new \Exception('非法参数');
        }
        $key = 'act:limit:' . $action . ':' . $userId;
        $current = intval($this->redis->get($key));
        if ($current >= $number) {
            return false;
        }
        $current = $this->redis->incr($key);
        if ($current === 1) {
            $this->redis->expire($key, $time);
        }
        if ($current < $number) {
            return true;
        }
        $type = empty($expire['type']) ? 0 : intval($expire['type']);
        $ttl = empty($expire['ttl']) ? 0 : intval($expire['ttl']);
        if ($current === $number && $ttl > 0 && in_array($type, [1, 2])) {
            if ($type === 1) {
                $this->redis->expire($key, $ttl);
            }
            if ($type === 2) {
                $this->redis->expireAt($key, $ttl);
            }
        }
        return false;
    }
}
