<?php

namespace FrequencyLimit\Laravel\Console;

use FrequencyLimit\Laravel\RateLimiter;
use FrequencyLimit\Limit;

class BanCommand extends KeysCommand
{
    protected $signature = 'ratelimit:ban
        {keys* : Keys of RateLimiter, or with --limiter those of by(), such as client addresses}
        {--limiter= : A limiter of RateLimiter::for()}
        {--for=1h : A duration, such as 90s, 15m, 1h or 7d}';

    protected $description = 'Ban keys of the rate limiter';

    protected function apply(RateLimiter $limiter, array $keys): string
    {
        $seconds = Limit::parse('fixed:1/'.$this->option('for'))->seconds;
        foreach ($keys as $key) {
            $limiter->ban($key, $seconds);
        }

        return 'banned for '.$this->option('for');
    }
}
