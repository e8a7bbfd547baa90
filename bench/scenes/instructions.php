<?php

declare(strict_types=1);

require_once __DIR__ . '/../lib/Callgrind.php';

/** Instructions of one decision, which depend on the compiler and on PHP, but not on the machine. */
final class InstructionsScene extends Scene
{
    public const ALSO = ['floor', 'dohandle', 'dohandle_ban', 'check', 'fixed_window', 'calendar', 'sliding_log', 'sliding_window',
        'token_bucket', 'three', 'apcu_inc', 'apcu_add_inc', 'symfony_memory', 'symfony_apcu', 'laravel_apcu'];

    public function exact(): array
    {
        return []; // other scenes measure Redis
    }

    public function run(): array
    {
        if (trim((string) shell_exec('command -v valgrind')) === '') {
            return ['missing' => 'valgrind is not installed'];
        }
        // This PHP with its options, up to the script.
        $own = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
        $php = array_merge(array_slice($own, 0, array_search($_SERVER['SCRIPT_FILENAME'], $own, true)), ['-d', 'opcache.jit=off']);
        return Callgrind::count($php, array_values(array_intersect(self::ALSO, array_keys($this->contestants))));
    }
}
