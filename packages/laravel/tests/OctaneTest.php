<?php

namespace FrequencyLimit\Laravel\Tests;

use PHPUnit\Framework\TestCase as PHPUnitTestCase;
use Symfony\Component\Process\Process;

/** Octane's events, which a process of its own fires: from then on it is a server of many requests. */
final class OctaneTest extends PHPUnitTestCase
{
    public function testEachOfOctanesRequestsHasItsOwnClientAndUser(): void
    {
        if (! extension_loaded('ratelimit')) {
            self::markTestSkipped('the extension ratelimit is not loaded');
        }

        $process = new Process([...Php::command(), '-r', <<<'PHP'
            namespace Laravel\Octane { class Worker {} }
            namespace {
            require 'vendor/autoload.php';
            use FrequencyLimit\AccessLimit;
            use FrequencyLimit\Limit;
            use FrequencyLimit\Limiter;
            use FrequencyLimit\RateLimit;
            use FrequencyLimit\Request;

            $app = FrequencyLimit\Laravel\Tests\Skeleton::application([FrequencyLimit\Laravel\RatelimitServiceProvider::class]);
            Limiter::define(new Limiter('named', Limit::fixedWindow(1, 60)));
            $limited = [#[AccessLimit(seconds: 60, maxCount: 1, needLogin: true, action: 'octane')] fn () => 'ran', #[RateLimit('named', needLogin: true)] fn () => 'ran'];
            foreach ([['192.0.2.1', 1], ['192.0.2.2', 2], ['192.0.2.2', 2], ['192.0.2.3', null]] as [$address, $user]) {
                $request = Illuminate\Http\Request::create('/', server: ['REMOTE_ADDR' => $address]);
                $app['events']->dispatch('Laravel\Octane\Events\RequestReceived', [(object) ['request' => $request]]);
                $user === null ? $app['auth']->forgetUser() : $app['auth']->setUser((new Illuminate\Foundation\Auth\User)->forceFill(['id' => $user]));
                echo Request::clientAddress();
                foreach ($limited as $function) {
                    try {
                        $outcome = $function();
                    } catch (RuntimeException $e) {
                        $outcome = $e->getCode();
                    }
                    echo ' ', $outcome;
                }
                echo "\n";
                $app['events']->dispatch('Laravel\Octane\Events\RequestTerminated', [(object) []]);
            }
            echo @Request::clientAddress();
            }
            PHP], dirname(__DIR__));
        $process->run();

        self::assertSame(
            "192.0.2.1 ran ran\n192.0.2.2 ran ran\n192.0.2.2 429 429\n192.0.2.3 401 401\nnobody",
            $process->getOutput(), $process->getErrorOutput()
        );
    }
}
