<?php

namespace FrequencyLimit\Laravel\Tests;

use Illuminate\Filesystem\Filesystem;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase as PHPUnitTestCase;
use Symfony\Component\Process\Process;

/**
 * An application with Laravel's folders, on the framework in vendor, under php-fpm. It names neither this package nor its
 * classes: Laravel discovers the provider in the list of installed packages.
 *
 * RATELIMIT_PICTURE names a file for a picture of its answers, in SVG.
 */
final class ApplicationTest extends PHPUnitTestCase
{
    private static string $folder = '';

    private static Fpm|string $fpm = '';

    public static function setUpBeforeClass(): void
    {
        self::$folder = sys_get_temp_dir().'/ratelimit-application-'.bin2hex(random_bytes(4));
        foreach (self::files() as $name => $text) {
            @mkdir(dirname(self::$folder."/$name"), 0777, true);
            file_put_contents(self::$folder."/$name", $text);
        }
        foreach (['bootstrap/cache', 'config', 'storage/framework/cache/data', 'storage/framework/views', 'storage/logs'] as $name) {
            @mkdir(self::$folder."/$name", 0777, true);
        }
        self::$fpm = Fpm::start(self::$folder, self::$folder.'/public/index.php', self::shared());
    }

    public static function tearDownAfterClass(): void
    {
        self::$fpm = '';
        (new Filesystem)->deleteDirectory(self::$folder);
    }

    protected function setUp(): void
    {
        if (is_string(self::$fpm)) {
            self::markTestSkipped(self::$fpm);
        }
    }

    public function testThrottleAnswers429WithItsHeaders(): void
    {
        $answers = array_map(fn () => self::$fpm->get('/api/search', ['Accept' => 'application/json']), range(1, 4));

        self::assertSame([200, 200, 200, 429], array_column($answers, 'status'), print_r($answers, true).@file_get_contents(self::$folder.'/storage/logs/laravel.log'));
        foreach ([2, 1, 0, 0] as $i => $remaining) {
            self::assertSame(['3', (string) $remaining], [$answers[$i]['headers']['x-ratelimit-limit'], $answers[$i]['headers']['x-ratelimit-remaining']]);
        }
        self::assertArrayNotHasKey('retry-after', $answers[2]['headers']);
        $retryAfter = (int) $answers[3]['headers']['retry-after'];
        self::assertTrue($retryAfter >= 1 && $retryAfter <= 60, "Retry-After: $retryAfter");
        self::assertEqualsWithDelta(time() + $retryAfter, (int) $answers[3]['headers']['x-ratelimit-reset'], 2);
        self::assertSame('Too Many Attempts.', json_decode($answers[3]['body'], true)['message']);

        if (getenv('RATELIMIT_PICTURE')) {
            file_put_contents(getenv('RATELIMIT_PICTURE'), Picture::of($answers));
        }
    }

    public function testFourWorkersAdmitExactlyTheLimit(): void
    {
        $statuses = array_count_values(array_column(self::$fpm->together(array_fill(0, 24, '/api/race')), 'status'));

        self::assertSame([200 => 10, 429 => 14], [200 => $statuses[200] ?? 0, 429 => $statuses[429] ?? 0]);
    }

    public function testALoginRefusesAfterItsFailuresAndARightPasswordForgetsThem(): void
    {
        $login = fn (string ...$passwords) => array_map(fn (string $password) => self::$fpm->get("/api/login/$password")['status'], $passwords);

        self::assertSame([422, 422, 200, 422, 422, 422, 429, 429], $login('wrong', 'wrong', 'right', 'wrong', 'wrong', 'wrong', 'wrong', 'right'));
    }

    /** A console command and the workers of php-fpm have the same counts. */
    public function testABanOfTheConsoleHoldsForTheWorkers(): void
    {
        self::assertSame(200, self::$fpm->get('/api/named')['status']);
        self::assertSame("192.0.2.1: banned for 1h\n", self::artisan(['ratelimit:ban', '192.0.2.1', '--limiter=api'], self::shared())->getOutput());
        $answer = self::$fpm->get('/api/named');
        self::assertSame(429, $answer['status']);
        self::assertGreaterThan(3500, (int) $answer['headers']['retry-after']);
        self::assertStringContainsString(md5('api192.0.2.1'), self::artisan(['ratelimit:top'], self::shared())->getOutput());
        self::assertSame("192.0.2.1: the ban is lifted\n", self::artisan(['ratelimit:unban', '192.0.2.1', '--limiter=api'], self::shared())->getOutput());
        self::assertSame(200, self::$fpm->get('/api/named')['status']);
    }

    public function testABanThatNoServerSeesIsAnError(): void
    {
        foreach (['ratelimit:ban', 'ratelimit:unban'] as $command) {
            foreach (['private', '/nowhere/segment'] as $path) {
                $artisan = self::process([$command, 'key'], ['-d', "ratelimit.shm_path=$path"]);
                self::assertSame(3, $artisan->run(), $artisan->getOutput());
                self::assertStringContainsString('No server uses the memory', $artisan->getOutput());
            }
        }
    }

    public function testARefusalOfTheAttributeIsA429AndIsNotLogged(): void
    {
        $log = self::$folder.'/storage/logs/laravel.log';
        $before = is_file($log) ? filesize($log) : 0;
        $answers = array_map(fn () => self::$fpm->get('/api/attribute'), range(1, 2));
        clearstatcache();

        self::assertSame([200, 429], array_column($answers, 'status'));
        self::assertArrayHasKey('ratelimit', $answers[1]['headers']);
        self::assertSame($before, is_file($log) ? filesize($log) : 0);
    }

    public function testAboutNamesTheLimiterInUse(): void
    {
        $about = fn (string ...$options) => json_decode(self::artisan(['about', '--json'], $options)->getOutput(), true)['rate_limiter'];

        self::assertStringStartsWith('ratelimit ', $about('-d', 'ratelimit.shm_path=')['decided_by']);
        self::assertSame('user', $about('-d', 'ratelimit.shm_path=')['segment']);
        self::assertArrayNotHasKey('warnings', $about('-d', 'ratelimit.shm_path='));
        self::assertStringContainsString('ratelimit.ipv6_prefix', $about('-d', 'ratelimit.ipv6_prefix=all')['warnings']);
    }

    /** Queue workers, as a supervisor starts them, and those of a cron job that come after them. */
    #[RequiresPhpExtension('pdo_sqlite')]
    public function testQueueWorkersRunExactlyTheLimitTogether(): void
    {
        $options = ['-d', 'ratelimit.shm_path='];
        self::artisan(['fill'], $options);
        for ($round = 0; $round < 2; $round++) {
            $workers = [];
            for ($i = 0; $i < 4; $i++) {
                $workers[] = $worker = new Process([...Php::command(), ...$options, 'artisan', 'queue:work', '--stop-when-empty', "--queue=q$i", '--tries=0'], self::$folder);
                $worker->start();
            }
            foreach ($workers as $worker) {
                self::assertSame(0, $worker->wait(), $worker->getOutput().$worker->getErrorOutput());
            }
            self::assertSame(4, strlen((string) @file_get_contents(self::$folder.'/storage/ran')), $workers[0]->getOutput());
        }
    }

    /**
     * Returns the options of processes that share a segment.
     *
     * @return list<string>
     */
    private static function shared(): array
    {
        return ['-d', 'ratelimit.shm_path='.self::$folder.'/segment'];
    }

    /**
     * @param  list<string>  $arguments
     * @param  list<string>  $options  of PHP
     */
    private static function artisan(array $arguments, array $options = []): Process
    {
        return self::process($arguments, $options)->mustRun();
    }

    /**
     * @param  list<string>  $arguments
     * @param  list<string>  $options  of PHP
     */
    private static function process(array $arguments, array $options): Process
    {
        return new Process([...Php::command(), ...$options, 'artisan', ...$arguments], self::$folder);
    }

    /** @return array<string, string> */
    private static function files(): array
    {
        $package = dirname(__DIR__);
        $installed = json_decode(file_get_contents("$package/vendor/composer/installed.json"), true);
        // Composer writes this entry after `composer require ratelimit/laravel`.
        $installed['packages'][] = json_decode(file_get_contents("$package/composer.json"), true) + ['version' => 'dev-main'];

        return [
            'composer.json' => '{}',
            'vendor/composer/installed.json' => json_encode($installed),
            'vendor/autoload.php' => '<?php return require '.var_export("$package/vendor/autoload.php", true).';',
            '.env' => "APP_NAME=Example\nAPP_ENV=production\nAPP_KEY=base64:".base64_encode(random_bytes(32))
                ."\nCACHE_STORE=file\nQUEUE_CONNECTION=database\nQUEUE_FAILED_DRIVER=null\nSESSION_DRIVER=array\nLOG_CHANNEL=single\nRATELIMIT_NAME=application-".bin2hex(random_bytes(4))."\n",
            'artisan' => '<?php define("LARAVEL_START", microtime(true)); require __DIR__."/vendor/autoload.php";
                exit((require __DIR__."/bootstrap/app.php")->handleCommand(new Symfony\Component\Console\Input\ArgvInput));',
            'public/index.php' => '<?php define("LARAVEL_START", microtime(true)); require __DIR__."/../vendor/autoload.php";
                (require __DIR__."/../bootstrap/app.php")->handleRequest(Illuminate\Http\Request::capture());',
            'bootstrap/app.php' => '<?php require_once __DIR__."/../app/Job.php"; return Illuminate\Foundation\Application::configure(dirname(__DIR__))
                ->withRouting(api: __DIR__."/../routes/api.php", commands: __DIR__."/../routes/console.php")
                ->withMiddleware(fn () => null)->withExceptions(fn () => null)->booted(function () {
                    Illuminate\Support\Facades\RateLimiter::for("jobs", fn () => Illuminate\Cache\RateLimiting\Limit::perHour(4));
                    Illuminate\Support\Facades\RateLimiter::for("api", fn ($request) => Illuminate\Cache\RateLimiting\Limit::perMinute(9)->by($request->ip()));
                })->create();',
            'app/Job.php' => '<?php
                class Job implements Illuminate\Contracts\Queue\ShouldQueue {
                    use Illuminate\Bus\Queueable, Illuminate\Queue\InteractsWithQueue;
                    function middleware() { return [new Illuminate\Queue\Middleware\RateLimited("jobs")]; }
                    function handle() { file_put_contents(storage_path("ran"), "x", FILE_APPEND); }
                }',
            'config/database.php' => '<?php return ["default" => "sqlite", "connections" => ["sqlite" => ["driver" => "sqlite",
                "database" => storage_path("jobs"), "busy_timeout" => 60000, "journal_mode" => "wal", "prefix" => ""]]];',
            'storage/jobs' => '',
            'routes/console.php' => '<?php
                use Illuminate\Support\Facades\{Artisan, Schema};
                Artisan::command("fill", function () {
                    Schema::create("jobs", function ($table) {
                        $table->bigIncrements("id"); $table->string("queue")->index(); $table->longText("payload"); $table->integer("attempts");
                        $table->integer("reserved_at")->nullable(); $table->integer("available_at"); $table->integer("created_at");
                    });
                    for ($i = 0; $i < 24; $i++) { dispatch((new Job)->onQueue("q".$i % 4)); }
                });',
            'routes/api.php' => '<?php
                use FrequencyLimit\AccessLimit;
                use Illuminate\Support\Facades\{RateLimiter, Route};
                Route::get("search", fn () => ["found" => 42])->middleware("throttle:3,1");
                Route::get("race", fn () => ["pid" => getmypid()])->middleware("throttle:10,1,race");
                Route::get("named", fn () => "yes")->middleware("throttle:api");
                Route::get("login/{password}", function ($password) {
                    abort_if(RateLimiter::tooManyAttempts("login:ann", 3), 429);
                    if ($password !== "right") {
                        RateLimiter::hit("login:ann");
                        abort(422);
                    }
                    RateLimiter::clear("login:ann");
                    return "in";
                });
                Route::get("attribute", #[AccessLimit(seconds: 60, maxCount: 1)] fn () => "yes");',
        ];
    }
}
