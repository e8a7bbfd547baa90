<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Command;

use FrequencyLimit\Monitor;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Style\SymfonyStyle;

#[AsCommand('ratelimit:top', 'Shows who is refused most on this machine, and the running bans')]
final class TopCommand extends Command
{
    /** @param string $namespace of the application's limiters, whose names are shown without it */
    public function __construct(private readonly string $namespace)
    {
        parent::__construct();
    }

    protected function configure(): void
    {
        $this->addOption('count', null, InputOption::VALUE_REQUIRED, 'The most rows of each table, 1 to 1000', '10');
    }

    protected function execute(InputInterface $input, OutputInterface $output): int
    {
        $style = new SymfonyStyle($input, $output);
        $count = (int) $input->getOption('count');
        $caller = fn (array $row): array => [self::text(preg_replace('/@'.preg_quote($this->namespace, '/').'$/D', '', $row['name'])), self::text((string) $row['identity'])];
        $refused = array_map(static fn (array $row): array => [...$caller($row), $row['refusals'].(0 === $row['error'] ? '' : ' ± '.$row['error']), date('H:i:s', (int) $row['last'])], Monitor::top($count));
        $banned = array_map(static fn (array $row): array => [...$caller($row), date('Y-m-d H:i:s', (int) $row['end'])], Monitor::bans($count));
        $refused ? $style->table(['limiter', 'key', 'refusals', 'last'], $refused) : $style->writeln('Nobody was refused of late.');
        $banned ? $style->table(['limiter', 'key', 'banned until'], $banned) : $style->writeln('Nobody is banned.');

        return self::SUCCESS;
    }

    /** Clients choose keys: control characters must not reach the terminal, nor tags the formatter. */
    private static function text(string $key): string
    {
        return OutputFormatter::escape(addcslashes($key, "\0..\37\177..\377"));
    }
}
