<?php

namespace FrequencyLimit\Laravel\Console;

use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Laravel\RateLimiter;
use FrequencyLimit\Laravel\ThrottleRequests;
use FrequencyLimit\StoreException;
use Illuminate\Cache\RateLimiter as LaravelRateLimiter;
use Illuminate\Console\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;

/** Does something with keys. The exit status is 0 if it was done with each of them. */
abstract class KeysCommand extends Command
{
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
