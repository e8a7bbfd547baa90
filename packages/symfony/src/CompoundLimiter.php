<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use FrequencyLimit\Permit;
use FrequencyLimit\StoreException;
use Symfony\Component\RateLimiter\CompoundLimiter as SymfonyCompoundLimiter;
use Symfony\Component\RateLimiter\Exception\ReserveNotSupportedException;
use Symfony\Component\RateLimiter\LimiterInterface;
use Symfony\Component\RateLimiter\Policy\NoLimiter;
use Symfony\Component\RateLimiter\RateLimit;
use Symfony\Component\RateLimiter\Reservation;

/**
 * Takes tokens from several limiters, or from none. It takes them in turn, by permits. When one refuses, exactly what the others
 * gave goes back. In that moment another caller may be refused; there is never one call too many.
 */
final class CompoundLimiter implements LimiterInterface
{
    /**
     * @param non-empty-list<NativeLimiter> $limiters
     */
    private function __construct(private readonly array $limiters)
    {
    }

    /**
     * Returns a limiter of them all. It is Symfony's, which charges the others when one refuses, if one of them is not ours.
     *
     * @param iterable<LimiterInterface> $limiters
     */
    public static function of(iterable $limiters): LimiterInterface
    {
        $limiters = [...$limiters];
        $native = array_values(array_filter($limiters, static fn (LimiterInterface $limiter): bool => !$limiter instanceof NoLimiter));
        if ($limiters && !$native) {
            return new NoLimiter();
        }
        foreach ($native as $limiter) {
            if (!$limiter instanceof NativeLimiter) {
                return new SymfonyCompoundLimiter($limiters);
            }
        }

        return $native ? new self($native) : new SymfonyCompoundLimiter([]);
    }

    public function consume(int $tokens = 1): RateLimit
    {
        if (0 === $tokens) {
            return self::decisive(array_map(static fn (NativeLimiter $limiter): RateLimit => $limiter->consume(0), $this->limiters));
        }
        [$decision, $permits] = $this->take($tokens);
        foreach ($permits as $permit) {
            $permit->release();
        }

        return $decision;
    }

    public function reserve(int $tokens = 1, ?float $maxTime = null): Reservation
    {
        throw new ReserveNotSupportedException(self::class);
    }

    public function reset(): void
    {
        foreach ($this->limiters as $limiter) {
            $limiter->reset();
        }
    }

    /**
     * Takes tokens from all limiters, or from none.
     *
     * @internal
     * @return array{RateLimit, list<Permit>} the decision, and the permits that hold the tokens
     */
    public function take(int $tokens): array
    {
        foreach ($this->limiters as $limiter) {
            $limiter->checkCapacity($tokens);
        }
        $permits = $decisions = [];
        foreach ($this->limiters as $i => $limiter) {
            $permit = $limiter->acquire($tokens);
            $decision = NativeLimiter::decision($permit->result);
            if (!$decision->isAccepted()) {
                self::giveBack($permits);
                // The call passes when all limits let it.
                $others = array_map(static fn (NativeLimiter $other): RateLimit => $other->peek($tokens), \array_slice($this->limiters, $i + 1));

                return [self::decisive([$decision, ...$others]), []];
            }
            $permits[] = $permit;
            $decisions[] = $decision;
        }

        return [self::decisive($decisions), $permits];
    }

    /**
     * Gives back what a refused call has taken. The refusal stays one where the store is unavailable: then the tokens stay charged.
     *
     * @param list<Permit> $permits
     */
    private static function giveBack(array $permits): void
    {
        try {
            foreach ($permits as $permit) {
                $permit->cancel();
            }
        } catch (StoreException $e) {
            error_log('ratelimit: not given back after a refusal: '.$e->getMessage());
        }
    }

    /**
     * Returns the refusal that lasts longest, or else the acceptance with the least remaining.
     *
     * @param non-empty-list<RateLimit> $decisions
     */
    private static function decisive(array $decisions): RateLimit
    {
        usort($decisions, static fn (RateLimit $a, RateLimit $b): int => $a->isAccepted() <=> $b->isAccepted()
            ?: ($a->isAccepted() ? $a->getRemainingTokens() <=> $b->getRemainingTokens() : 0)
            ?: $b->getRetryAfter() <=> $a->getRetryAfter());

        return $decisions[0];
    }
}
