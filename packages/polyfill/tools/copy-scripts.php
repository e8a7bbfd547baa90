<?php

declare(strict_types=1);

/*
 * Copies the Lua scripts of the extension into resources/, as scripts/embed-lua.sh of the extension embeds them: joined,
 * without comment lines and indentation. So both send the same text, and Redis keeps it once.
 *
 *   php tools/copy-scripts.php [FOLDER]     FOLDER: the extension's src/redis/lua
 */

/** @return array<string, string> file name => text */
function ratelimit_scripts(string $folder): array
{
    $join = static function (string ...$files): string {
        $text = '';
        foreach ($files as $file) {
            foreach (explode("\n", rtrim((string) file_get_contents($file), "\n")) as $line) {
                $text .= (string) preg_replace('/^--.*/', '', trim($line, " \t\r\v\f")) . "\n";
            }
        }
        return $text;
    };
    $fragments = glob("$folder/limiter/*.lua") ?: [];
    sort($fragments, SORT_STRING);
    return ['counter.lua' => $join("$folder/counter.lua"), 'limiter.lua' => $join(...$fragments)];
}

if (realpath($_SERVER['SCRIPT_FILENAME'] ?? '') === __FILE__) {
    foreach (ratelimit_scripts($argv[1] ?? dirname(__DIR__, 3) . '/src/redis/lua') as $file => $text) {
        file_put_contents(dirname(__DIR__) . "/resources/$file", $text);
    }
}
