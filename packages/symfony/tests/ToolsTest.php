<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Monitor;
use PHPUnit\Framework\Attributes\RunInSeparateProcess;
use Ratelimit\Symfony\RatelimitBundle;
use Ratelimit\Symfony\Tests\App\AppKernel;
use Symfony\Bundle\FrameworkBundle\Console\Application;
use Symfony\Component\Console\Tester\ApplicationTester;
use Symfony\Component\HttpKernel\KernelEvents;
use Symfony\Component\Yaml\Yaml;

/** The console commands, the panel of the profiler, and the recipe. */
final class ToolsTest extends TestCase
{
    private const LIMITERS = ['api' => ['policy' => 'fixed_window', 'limit' => 2, 'interval' => '1 minute']];

    public function testACommandBansKeysOfALimiterAndLiftsTheBans(): void
    {
        $kernel = new AppKernel(self::LIMITERS);
        self::assertSame(200, $kernel->ask('/decision')->getStatusCode());
        self::assertSame([0, "api, 127.0.0.1: banned for 15m\napi, 192.0.2.1: banned for 15m\n"], self::console($kernel, 'ratelimit:ban', ['limiter' => 'api', 'keys' => ['127.0.0.1', '192.0.2.1'], '--for' => '15m']));
        $answer = $kernel->ask('/decision');
        self::assertSame(429, $answer->getStatusCode());
        self::assertEqualsWithDelta(900, (int) $answer->headers->get('Retry-After'), 1);
        [, $top] = self::console($kernel, 'ratelimit:top');
        self::assertMatchesRegularExpression('/^ +api +127\.0\.0\.1 +1 .*^ +api +127\.0\.0\.1 +20/sm', $top);
        self::assertSame([0, "api, 127.0.0.1: the ban is lifted\napi, 192.0.2.9: there was no ban\n"], self::console($kernel, 'ratelimit:unban', ['limiter' => 'api', 'keys' => ['127.0.0.1', '192.0.2.9']]));
        self::assertSame(200, $kernel->ask('/decision')->getStatusCode());
    }

    public function testACommandThatDoesNothingSaysSoAndFails(): void
    {
        $kernel = new AppKernel(self::LIMITERS, ['namespace' => 'shop']);
        foreach ([['limiter' => 'apii', 'keys' => ['a']], ['limiter' => 'api', 'keys' => ['a'], '--for' => 'soon'], ['limiter' => 'api', 'keys' => ['a'], '--for' => '11y']] as $input) {
            [$status, $text] = self::console($kernel, 'ratelimit:ban', $input);
            self::assertSame(1, $status, $text);
            self::assertStringContainsString('[ERROR]', $text);
        }
        self::assertTrue((new Limiter('api@shop', Limit::fixedWindow(2, 60)))->allow('a'));
        self::assertStringContainsString('Nobody is banned.', self::console($kernel, 'ratelimit:top')[1]);
    }

    public function testControlCharactersOfAKeyDoNotReachTheTerminal(): void
    {
        $kernel = new AppKernel(self::LIMITERS);
        (new Limiter('x', Limit::fixedWindow(1, 60)))->ban("\e[31m<error>\u{202e}", 60);
        $text = self::console($kernel, 'ratelimit:top')[1];
        self::assertStringContainsString('\033[31m<error>\342\200\256', $text);
    }

    #[RunInSeparateProcess]
    public function testTheProfilerShowsTheDecisionsOfARequest(): void
    {
        $kernel = new AppKernel(self::LIMITERS, withProfiler: true);
        $panel = static fn (string $path): string => (string) $kernel->ask('/_profiler/'.$kernel->ask($path)->headers->get('X-Debug-Token').'?panel=ratelimit')->getContent();
        self::assertMatchesRegularExpression('~<td>api@\w+</td>\s*<td>127\.0\.0\.1</td>\s*<td><span class="label status-success">accepted</span></td>\s*<td>api</td>\s*<td>1 of 2</td>~', $panel('/decision'));
        $kernel->ask('/thrown');
        $text = $panel('/thrown');
        self::assertStringContainsString('1 decisions, 1 refused.', $text);
        self::assertStringContainsString('<td>60.000 s</td>', $text);
        self::assertStringContainsString('The request asked no limiter', $panel('/secret'));
        self::assertStringContainsString('1 decisions, 0 refused.', $panel('/embedding'), 'after a sub-request');
        $heard = [];
        $listen = static function (string $name) use (&$heard): void { $heard[] = $name; };
        $kernel->getContainer()->get('event_dispatcher')->addListener(KernelEvents::CONTROLLER, static fn () => Monitor::listen($listen));
        $kernel->ask('/secret');
        (new Limiter('behind', Limit::fixedWindow(1, 60)))->consume('a');
        self::assertSame(['behind'], $heard, 'The listener of the application stays.');
    }

    public function testTheRecipeNamesTheBundleAndAConfigurationThatItTakes(): void
    {
        $recipe = \dirname(__DIR__).'/recipe/0.1';
        $manifest = json_decode((string) file_get_contents("$recipe/manifest.json"), true, 8, \JSON_THROW_ON_ERROR);
        self::assertSame([RatelimitBundle::class => ['all']], $manifest['bundles']);
        self::assertSame(['config/' => '%CONFIG_DIR%/'], $manifest['copy-from-recipe']);
        $text = (string) file_get_contents("$recipe/config/packages/ratelimit.yaml");
        foreach ([$text, str_replace(['    #', '%env(RATELIMIT_STORE)%'], ['    ', 'shm:'], preg_replace('/^ +# .*$/m', '', $text))] as $yaml) {
            self::assertSame(200, (new AppKernel(self::LIMITERS, Yaml::parse($yaml)['ratelimit'] ?? []))->ask('/decision')->getStatusCode());
        }
    }

    /**
     * @param array<string, mixed> $input
     * @return array{int, string} the exit status and the output
     */
    private static function console(AppKernel $kernel, string $command, array $input = []): array
    {
        // A kernel that is booted within run() would leave a handler of exceptions.
        $kernel->boot();
        $application = new Application($kernel);
        $application->setAutoExit(false);
        $tester = new ApplicationTester($application);
        $tester->run(['command' => $command] + $input);

        return [$tester->getStatusCode(), $tester->getDisplay(true)];
    }
}
