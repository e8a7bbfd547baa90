<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Command;

use Ratelimit\Symfony\NativeLimiter;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;

#[AsCommand('ratelimit:unban', 'Lifts the bans of keys of a limiter')]
final class UnbanCommand extends LimiterCommand
{
    protected function apply(NativeLimiter $limiter, InputInterface $input): string
    {
        return $limiter->unban() ? 'the ban is lifted' : 'there was no ban';
    }
}
