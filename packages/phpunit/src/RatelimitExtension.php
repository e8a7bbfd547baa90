<?php
declare(strict_types=1);

namespace FrequencyLimit\PHPUnit;

use PHPUnit\Runner\Extension\Extension;
use PHPUnit\Runner\Extension\Facade;
use PHPUnit\Runner\Extension\ParameterCollection;
use PHPUnit\TextUI\Configuration\Configuration;

/**
 * Begins each test with empty limits and a frozen clock, on the embedded store.
 *
 * The parameter "at" is the moment at which each test begins, as DateTimeImmutable takes it ("2026-01-01 12:00:00 UTC");
 * without it, the present.
 */
final class RatelimitExtension implements Extension
{
    public function bootstrap(Configuration $configuration, Facade $facade, ParameterCollection $parameters): void
    {
        self::allowTesting();
        $at = $parameters->has('at') ? new \DateTimeImmutable($parameters->get('at')) : null;
        $facade->registerSubscribers(new BeginTest($at), new EndTest());
    }

    /** The polyfill has settings of its own: PHP lets no library have one of php.ini. */
    private static function allowTesting(): void
    {
        foreach (['ratelimit.testing' => '1', 'ratelimit.store' => 'shm:'] as $setting => $value) {
            if (!\extension_loaded('ratelimit')) {
                if (!\class_exists(\FrequencyLimit\Polyfill\Settings::class)) {
                    throw new \RuntimeException('PHP has loaded neither the extension ratelimit nor the package ratelimit/polyfill');
                }
                \FrequencyLimit\Polyfill\Settings::set($setting, $value);
            } elseif (\ini_get($setting) !== $value && @\ini_set($setting, $value) === false) {
                throw new \RuntimeException("$setting cannot be set to $value: "
                    . (\error_get_last()['message'] ?? 'this SAPI does not allow it; run PHPUnit on the command line'));
            }
        }
    }
}
