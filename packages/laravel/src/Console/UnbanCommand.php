<?php

namespace FrequencyLimit\Laravel\Console;

use FrequencyLimit\Laravel\RateLimiter;

class UnbanCommand extends KeysCommand
{
    protected $signature = 'ratelimit:unban
        {keys* : Keys of RateLimiter, or with --limiter those of by(), such as client addresses}
        {--limiter= : A limiter of RateLimiter::for()}';

    protected $description = 'Lift bans of keys of the rate limiter';

    protected function apply(RateLimiter $limiter, array $keys): string
    {
        return array_filter(array_map($limiter->unban(...), $keys)) ? 'the ban is lifted' : 'there was no ban';
    }
}
