<?php

namespace FrequencyLimit\Laravel\Console;

use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Laravel\RateLimiter;
use FrequencyLimit\Laravel\TestClock;
use FrequencyLimit\Laravel\ThrottleRequests;
use FrequencyLimit\Laravel\Windows;
use FrequencyLimit\Monitor;
use FrequencyLimit\StoreException;
use Illuminate\Cache\RateLimiter as LaravelRateLimiter;
use Illuminate\Console\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;

/** Does something with keys. The exit status is 0 if it was done with each of them, and 3 if no server would see it. */
abstract class KeysCommand extends Command
{
    private const UNAVAILABLE = 3;

    public function handle(LaravelRateLimiter $limiter): int
    {
        $name = $this->option('limiter');

        if (! $limiter instanceof RateLimiter) {
            $this->components->error('The application has a rate limiter of its own.');

            return self::FAILURE;
        }
        if ($name !== null && $limiter->limiter($name) === null) {
            $this->components->error(OutputFormatter::escape("There is no limiter [$name]."));

            return self::FAILURE;
        }
        if ($this->hasOwnSegment()) {
            $this->components->error('No server uses the memory that this command has: run it as the user of the server, with its ratelimit.shm_path.');

            return self::UNAVAILABLE;
        }

        $status = self::SUCCESS;
        foreach ($this->argument('keys') as $key) {
            try {
                $this->line(OutputFormatter::escape("$key: ".$this->apply($limiter, $name === null ? [$key] : ThrottleRequests::keysOf($name, $key))));
            } catch (StoreException|InvalidArgument $e) {
                $this->components->error(OutputFormatter::escape("$key: ".$e->getMessage()));
                $status = self::FAILURE;
            }
        }

        return $status;
    }

    /** Returns whether no server has these counts: they are of this process, or of a user whose processes have not decided yet. */
    private function hasOwnSegment(): bool
    {
        if (! $this->laravel->runningInConsole() || TestClock::isTestRun() || Windows::isRedis(config('ratelimit.store'))) {
            return false;
        }
        $stats = Monitor::stats();

        return match ($stats['segment']) {
            'file' => false,
            'user' => $stats['decisions'] + $stats['redis_decisions'] + $stats['cached'] + $stats['leased'] === 0,
            default => true,
        };
    }

    /**
     * Returns what was done.
     *
     * @param  list<string>  $keys  of one caller
     *
     * @throws StoreException
     * @throws InvalidArgument
     */
    abstract protected function apply(RateLimiter $limiter, array $keys): string;
}
