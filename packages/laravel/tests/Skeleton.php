<?php

namespace FrequencyLimit\Laravel\Tests;

use Illuminate\Contracts\Console\Kernel;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Configuration\Exceptions;
use Illuminate\Foundation\Configuration\Middleware;

/** Makes a Laravel application without a skeleton: the framework's own configuration in a temporary folder. */
final class Skeleton
{
    /**
     * @param  list<class-string>  $providers  beside the framework's own
     * @param  array<string, mixed>  $config  beside the framework's own
     */
    public static function application(array $providers = [], array $config = []): Application
    {
        $app = Application::configure(self::folder())
            ->withProviders($providers, false)
            ->withRouting(fn () => null)
            ->withMiddleware(fn (Middleware $middleware) => null)
            ->withExceptions(fn (Exceptions $exceptions) => null)
            ->create();

        $app->beforeBootstrapping(\Illuminate\Foundation\Bootstrap\RegisterProviders::class, function ($app) use ($config) {
            $app['config']->set($config + [
                'app.key' => 'base64:'.base64_encode(str_repeat('k', 32)),
                'app.env' => 'testing',
                'app.debug' => true,
                'cache.default' => 'array',
                'session.driver' => 'array',
                'queue.default' => 'sync',
                'mail.default' => 'array',
                'database.default' => 'testing',
                'database.connections.testing' => ['driver' => 'sqlite', 'database' => ':memory:', 'prefix' => ''],
            ]);
            $app['env'] = 'testing';
        });
        $app->make(Kernel::class)->bootstrap();

        return $app;
    }

    /** Returns the folder of this process, which it removes in the end. */
    private static function folder(): string
    {
        static $folder = null;

        if ($folder === null) {
            $folder = sys_get_temp_dir().'/ratelimit-laravel-'.getmypid();
            foreach (['config', 'bootstrap/cache', 'storage/framework/cache/data', 'storage/framework/views', 'storage/logs', 'resources/views'] as $name) {
                @mkdir("$folder/$name", 0777, true);
            }
            $process = getmypid();
            register_shutdown_function(function () use ($folder, $process) {
                if (getmypid() === $process) {
                    (new \Illuminate\Filesystem\Filesystem)->deleteDirectory($folder);
                }
            });
        }

        return $folder;
    }
}
