<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests\App;

use Symfony\Component\Security\Core\Exception\AuthenticationException;
use Symfony\Component\Security\Http\Event\LoginFailureEvent;
use Symfony\Contracts\Service\ResetInterface;

/** Keeps the reason of the latest failed login. */
final class LoginFailures implements ResetInterface
{
    public ?AuthenticationException $latest = null;

    public function __invoke(LoginFailureEvent $event): void
    {
        $this->latest = $event->getException();
    }

    public function reset(): void
    {
        $this->latest = null;
    }
}
