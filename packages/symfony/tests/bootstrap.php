<?php

declare(strict_types=1);

/*
 * The tests run with the package symfony/symfony, which has all components. FrameworkBundle refuses to run in an application
 * that requires it: so its name is removed from what Composer says is installed. Its component http-kernel, whose version the console
 * and the profiler show, gets its version.
 */

use Composer\InstalledVersions;

require dirname(__DIR__).'/vendor/autoload.php';

if (InstalledVersions::isInstalled('symfony/symfony')) {
    foreach (['installedByVendor', 'installed'] as $name) {
        $property = new ReflectionProperty(InstalledVersions::class, $name);
        $property->setAccessible(true);
        $value = $property->getValue();
        $hide = static function (array &$installed): void {
            if (isset($installed['versions']['symfony/symfony'])) {
                $installed['versions']['symfony/http-kernel']['pretty_version'] = $installed['versions']['symfony/symfony']['pretty_version'];
                unset($installed['versions']['symfony/symfony']);
            }
        };
        if ('installed' !== $name) {
            array_walk($value, $hide);
        } elseif (is_array($value)) {
            $hide($value);
        }
        $property->setValue(null, $value);
    }
}

// Functions of PHP 8.5, where symfony/polyfill-php85 cannot be installed.
if (!function_exists('get_error_handler')) {
    function get_error_handler(): ?callable
    {
        $handler = set_error_handler(static fn (): bool => false);
        restore_error_handler();

        return $handler;
    }
}
if (!function_exists('get_exception_handler')) {
    function get_exception_handler(): ?callable
    {
        $handler = set_exception_handler(null);
        restore_exception_handler();

        return $handler;
    }
}
