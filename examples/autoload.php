<?php

declare(strict_types=1);

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'App\\')) {
        require __DIR__ . '/app/' . strtr(substr($class, 4), '\\', '/') . '.php';
    }
});
