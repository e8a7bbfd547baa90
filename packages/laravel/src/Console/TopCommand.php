<?php

namespace FrequencyLimit\Laravel\Console;

use FrequencyLimit\Monitor;
use Illuminate\Console\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;

class TopCommand extends Command
{
    protected $signature = 'ratelimit:top {--count=10 : The most rows of each table, 1 to 1000}';

    protected $description = 'Show who is refused most on this machine, and the running bans';

    public function handle(): int
    {
        $count = filter_var($this->option('count'), FILTER_VALIDATE_INT, ['options' => ['min_range' => 1, 'max_range' => 1000]]);
        if ($count === false) {
            $this->components->error('--count must be between 1 and 1000, "'.OutputFormatter::escape((string) $this->option('count')).'" given.');

            return self::INVALID;
        }
        $caller = fn (array $row) => [self::text($row['name']), self::text((string) $row['identity'])];
        $refused = array_map(fn (array $row) => [...$caller($row), $row['refusals'].($row['error'] === 0 ? '' : ' ± '.$row['error']), date('H:i:s', (int) $row['last'])], Monitor::top($count));
        $banned = array_map(fn (array $row) => [...$caller($row), date('Y-m-d H:i:s', (int) $row['end'])], Monitor::bans($count));

        $refused === [] ? $this->line('Nobody was refused of late.') : $this->table(['counts', 'key', 'refusals', 'last'], $refused);
        $banned === [] ? $this->line('Nobody is banned.') : $this->table(['counts', 'key', 'banned until'], $banned);

        return self::SUCCESS;
    }

    /** Clients choose keys: control characters must not reach the terminal, nor tags the formatter. */
    private static function text(string $key): string
    {
        return OutputFormatter::escape(addcslashes($key, "\0..\37\177..\377"));
    }
}
