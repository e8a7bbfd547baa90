<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use FrequencyLimit\StoreException;
use Psr\Log\LoggerInterface;
use Symfony\Component\HttpFoundation\RateLimiter\AbstractRequestRateLimiter;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\RateLimiter\LimiterInterface;
use Symfony\Component\RateLimiter\RateLimit;
use Symfony\Component\Security\Http\SecurityRequestAttributes;

/**
 * Limits failed logins of an address, and of a user at an address, as Symfony's DefaultLoginRateLimiter does. A failed login
 * counts in both limits or in none.
 */
final class LoginRateLimiter extends AbstractRequestRateLimiter
{
    public function __construct(
        private readonly FactoryInterface $globalFactory,
        private readonly FactoryInterface $localFactory,
        #[\SensitiveParameter] private readonly string $secret,
        private readonly ?LoggerInterface $logger = null,
    ) {
        if ('' === $secret) {
            throw new \InvalidArgumentException('A non-empty secret is required.');
        }
    }

    public function consume(Request $request): RateLimit
    {
        return CompoundLimiter::of($this->getLimiters($request))->consume();
    }

    /** Forgets the user's failures at the address. Those of the address stay: they bound how many users a client may try. */
    public function reset(Request $request): void
    {
        $this->finish($this->getLimiters($request)[1]->reset(...));
    }

    /**
     * Carries out commands after a successful login, which stays one where the store is unavailable: the first failure is logged.
     * The other commands run all the same, because they take effect in the machine's memory.
     *
     * @internal
     */
    public function finish(\Closure ...$commands): void
    {
        $failure = null;
        foreach ($commands as $command) {
            try {
                $command();
            } catch (StoreException $e) {
                $failure ??= $e;
            }
        }
        if (null === $failure) {
            return;
        }
        $message = 'The rate limiter still counts what a successful login clears: '.$failure->getMessage();
        null === $this->logger ? error_log($message) : $this->logger->error($message, ['exception' => $failure]);
    }

    /**
     * @internal
     * @return array{LimiterInterface, LimiterInterface} of the address, of the user at the address
     */
    public function getLimiters(Request $request): array
    {
        $address = (string) $request->getClientIp();
        $user = (string) $request->attributes->get(SecurityRequestAttributes::LAST_USERNAME, '');
        $user = preg_match('//u', $user) && \function_exists('mb_strtolower') ? mb_strtolower($user, 'UTF-8') : strtolower($user);

        return [$this->globalFactory->create($this->hash($address)), $this->localFactory->create($this->hash($user.'-'.$address))];
    }

    private function hash(string $data): string
    {
        return hash_hmac('sha256', $data, $this->secret);
    }
}
