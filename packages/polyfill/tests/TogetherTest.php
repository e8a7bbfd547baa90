<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Guard\Guards;
use FrequencyLimit\Polyfill\Guard\StoreFailure;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Reason;
use FrequencyLimit\StoreException;
use PHPUnit\Framework\TestCase;

/** Identities whose states are decided in turn, as in a cluster, while other calls change these states. */
final class TogetherTest extends TestCase
{
    private TurnStore $store;
    private Limiter $limiter;

    protected function setUp(): void
    {
        Settings::set('ratelimit.testing', '1');
        Clock::freeze(1_900_000_000);
        Guards::flush();
        $this->store = TurnStore::install();
        $this->limiter = new Limiter('api', ['t' => Limit::fixedWindow(10, 60)->by('tenant'), 'u' => Limit::slidingLog(2, 60)->by('user')->ban(90)]);
    }

    protected function tearDown(): void
    {
        Clock::unfreeze();
        Settings::set('ratelimit.testing', null);
    }

    /** Lets another call come before the first question of this op about this label. */
    private function interfere(int $op, string $label, \Closure $call): void
    {
        $this->store->before = function (Key $key, Question $q) use ($op, $label, $call): void {
            if ($q->op === $op && str_starts_with($key->name, "$label\0")) {
                $this->store->before = null;
                $call();
            }
        };
    }

    private function left(int|string $tenant): int
    {
        return $this->limiter->peek(['tenant' => $tenant, 'user' => 'nobody'], ['t' => 1, 'u' => 0])->remaining + 1;
    }

    public function testWhatWasTakenGoesBackExactlyWhereALaterStateRefuses(): void
    {
        $this->interfere(Op::ACQUIRE, 'user', fn () => $this->limiter->consume(['tenant' => 'other', 'user' => 7], 2));
        $refused = $this->limiter->consume(['tenant' => 1, 'user' => 7], ['t' => 4, 'u' => 1]);
        self::assertSame([false, Reason::Banned, 'u', 90.0], [$refused->accepted, $refused->reason, $refused->name, $refused->resetAfter]);
        self::assertSame([10, 8], [$this->left(1), $this->left('other')]);
    }

    public function testACallThatPassesAgainMeanwhileIsDecidedAgain(): void
    {
        $other = $this->limiter->acquire(['tenant' => 'other', 'user' => 7], 2);
        $this->limiter->unban(['user' => 7]);
        /* The user's state refuses when it is taken, and not when all are judged. */
        $this->interfere(Op::PEEK, 'user', function () use ($other): void {
            $this->store->before = function (Key $key, Question $q) use ($other): void {
                if ($q->op === Op::PEEK && str_starts_with($key->name, "tenant\0")) {
                    $this->store->before = null;
                    $other->cancel();
                }
            };
        });
        self::assertTrue($this->limiter->consume(['tenant' => 1, 'user' => 7], 2)->accepted);
        self::assertSame(8, $this->left(1));
    }

    public function testABanBeginsOnlyWhereItsStateStillRefuses(): void
    {
        $other = $this->limiter->acquire(['tenant' => 'other', 'user' => 7], 2);
        $bans = 0;
        $this->store->before = function (Key $key, Question $q) use (&$bans, $other): void {
            /* The ban is asked for with the bans of the limits: then the other call has given its permits back. */
            if ($q->op === Op::ACQUIRE && str_starts_with($key->name, "user\0") && $q->rules[0]->banKind !== 0) {
                $bans++;
                $this->store->before = null;
                $other->cancel();
            }
        };
        self::assertTrue($this->limiter->consume(['tenant' => 1, 'user' => 7])->accepted);
        self::assertSame([1, 9], [$bans, $this->left(1)]);
        self::assertTrue($this->limiter->peek(['tenant' => 2, 'user' => 7], ['t' => 0, 'u' => 1])->accepted, 'what asked for the ban went back');
    }

    public function testANodeThatFailsInBetweenGivesBackWhatTheOthersTook(): void
    {
        $this->interfere(Op::ACQUIRE, 'user', static fn () => throw new StoreFailure('Redis at node: away', StoreFailure::WRONG_TYPE));
        try {
            $this->limiter->consume(['tenant' => 1, 'user' => 7], 2);
            self::fail('no exception');
        } catch (StoreException) {
        }
        self::assertSame(10, $this->left(1));
    }
}
