<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Command;

use FrequencyLimit\Limit;
use Ratelimit\Symfony\NativeLimiter;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

#[AsCommand('ratelimit:ban', 'Bans keys of a limiter')]
final class BanCommand extends LimiterCommand
{
    protected function configure(): void
    {
        parent::configure();
        $this->addOption('for', null, InputOption::VALUE_REQUIRED, 'A duration, such as 90s, 15m, 1h or 7d', '1h');
    }

    protected function apply(NativeLimiter $limiter, InputInterface $input): string
    {
        $duration = $input->getOption('for');
        if (!$limiter->ban(Limit::parse("fixed:1/$duration")->seconds)) {
            throw new \LogicException('the ban refuses nobody: somebody else has lifted it, or the key is exempt');
        }

        return "banned for $duration";
    }
}
