<?php

return [

    /*
     * false: Laravel's own limiter decides. The attributes have their users all the same.
     */
    'enabled' => env('RATELIMIT_ENABLED', true),

    /*
     * true: an application that boots without ext-ratelimit throws an exception that names it. false: Laravel's own
     * limiter decides there. `php artisan about` shows the limiter in use.
     */
    'required' => env('RATELIMIT_REQUIRED', false),

    /*
     * The store of the counts, as of ratelimit.store in php.ini; null: that setting, by default the shared memory of
     * this machine. Several machines share their limits by a Redis: "redis://10.0.0.5", "redis+sentinel://…",
     * "redis+cluster://…", "unix:///run/redis/redis.sock".
     */
    'store' => env('RATELIMIT_STORE'),

    /*
     * The name under which the counts are kept. Applications of one name and one store share them. null: "laravel:" and
     * the prefix of the cache.
     */
    'name' => env('RATELIMIT_NAME'),

    /*
     * true: "throttle" answers with RateLimit-Policy and RateLimit of the IETF's draft, beside X-RateLimit-*.
     */
    'ietf_headers' => env('RATELIMIT_IETF_HEADERS', false),

    /*
     * Cache::funnel() takes concurrent places of the extension in place of cache locks.
     */
    'funnel' => true,

    /*
     * The users of #[AccessLimit], #[ConcurrencyLimit] and #[RateLimit] are those of this guard; null: the default guard; false: the
     * application calls Request::identifyBy() itself, and on Octane Request::begin().
     */
    'guard' => null,

];
