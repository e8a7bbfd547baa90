--TEST--
scripts/prose.sh finds each planted offence, names its file and line, and accepts plain prose
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
if (trim((string) shell_exec('command -v perl')) === '') {
	die('skip perl is not installed');
}
?>
--FILE--
<?php
require __DIR__ . '/readme.inc';

$folder = sys_get_temp_dir() . '/ratelimit-prose-' . getmypid();
mkdir($folder);
register_shutdown_function(function () use ($folder): void {
	array_map('unlink', glob("$folder/*"));
	rmdir($folder);
});

/** The lines that the script prints about one file, without its name. */
function offences(string $name, string $content, string ...$options): array
{
	global $folder, $code;
	file_put_contents("$folder/$name", $content);
	exec(implode(' ', array_map(escapeshellarg(...), [ROOT . '/scripts/prose.sh', ...$options, "$folder/$name"])), $lines, $code);
	array_pop($lines); // the total
	return array_map(fn (string $line): string => substr($line, strlen("$folder/$name:")), $lines);
}

function same_offences(array $expected, string $name, string $content, string ...$options): void
{
	global $code;
	same($expected, offences($name, $content, ...$options), $name);
	same(in_array('--long', $options, true) || $expected === [] ? 0 : 1, $code, "$name: exit status");
}

$who = fn (string $word): string => "the sentence begins with \"$word\": make a noun its subject";
$desk = '"desk": write "worker"';

same_offences(["3: $desk", '4: ' . $who('Who'), '8: "long way": write "fast path", "slow path"', '12: ' . $who('What')], 'document.md', <<<'MD'
# What a heading asks

Each thread has a desk. A worker decides.
Who decides copies the state. A caller who waits is fine.

| What is it? | a table |
|---|---|
| a new window goes the long way | nothing |

`desk` and the block are code.

- What is left is a list item.

```sh
echo "What a desk"
```

What does a question do? It passes. So does [What one identity costs](limiters.md).
MD);

same_offences(["4: $desk", '7: ' . $who('Whoever'), '12: "hunting.c": there is no such file'], 'code.c', <<<'C'
#include "desk.h"

/* Returns the worker.
 * A second line with a desk. */
const char *text = "/* What a desk */";

/* Whoever waits. */
int rl_desk; // one RL_DESK

/* 4 x 4 cells, or 1.5 of them: see
 * src/shm/process/worker.c,
 * hunting.c and ratelimit.stub.php. */
C);

same_offences(["1: $desk", '3: ' . $who('Whatever')], 'code.lua', <<<'LUA'
-- Counts a desk.
local text = "-- What a desk"
-- Whatever it is.
LUA);

same_offences(["3: $desk", '7: ' . $who('What'), '13: ' . $who('Whose')], 'code.php', <<<'PHP'
<?php

/** Shows a desk. */
#[Attribute(desk: 1)]
final class Card
{
    // What is shown.
    public string $text = '// What a desk';
    public string $html = <<<'HTML'
        /* What a desk */
        HTML;
}
/* Whose it is. */
?>
<p># What a desk</p>
PHP);

same_offences(["2: $desk"], 'title.phpt', "--TEST--\nA desk is free\n--FILE--\n<?php /* a desk */\n");
same_offences(['2: a title of 121 characters, more than 120'], 'title.phpt', "--TEST--\n" . str_repeat('A', 121) . "\n--FILE--\n");

$words = fn (int $n): string => ucfirst(trim(str_repeat('word ', $n))) . '.';
same_offences(['3: a sentence of 36 words'], 'long.md', $words(35) . "\n\n" . $words(36) . ' ' . $words(35) . "\n", '--long');
same_offences([], 'long.md', $words(36) . "\n");

/* The number of long sentences has a bound of its own. */
putenv('LONG_MAX=-1');
exec(escapeshellarg(ROOT . '/scripts/prose.sh'), $lines, $code);
same(1, $code, 'a bound that is too low');
ok(str_contains(end($lines), 'prose.sh --long lists them'), 'and the last line says so');

done();
?>
--EXPECT--
done
