<?php

namespace App\MessageHandler;

use App\Message\Job;
use Symfony\Component\DependencyInjection\Attribute\Autowire;
use Symfony\Component\Messenger\Attribute\AsMessageHandler;

#[AsMessageHandler]
final class JobHandler
{
    public function __construct(#[Autowire(service: 'limiter.jobs')] private object $limiter, #[Autowire('%kernel.project_dir%/var/jobs')] private string $file)
    {
    }

    public function __invoke(Job $job): void
    {
        file_put_contents($this->file, (int) $this->limiter->create('all')->consume()->isAccepted(), \FILE_APPEND);
    }
}
