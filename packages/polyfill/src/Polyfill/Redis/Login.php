<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** A user and a password; an empty user is the server's default one. */
final class Login
{
    public function __construct(public readonly string $user, #[\SensitiveParameter] public readonly string $password)
    {
    }

    /** @return list<string> */
    public function command(): array
    {
        return $this->user === '' ? ['AUTH', $this->password] : ['AUTH', $this->user, $this->password];
    }

    /** @return array<string, string> for var_dump() */
    public function __debugInfo(): array
    {
        return ['user' => $this->user, 'password' => '***'];
    }
}
