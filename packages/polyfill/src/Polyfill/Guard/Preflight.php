<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\CounterQuestion;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Named\LimitersFile;
use FrequencyLimit\Polyfill\Redis\Label;
use FrequencyLimit\Polyfill\Redis\RedisStore;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Polyfill\Time;
use FrequencyLimit\Polyfill\Warnings;

/** Checks settings and stores for FrequencyLimit\Monitor::preflight(). */
final class Preflight
{
    private const IDENTITIES_MAX = 1_000_000_000;
    /** Clocks may differ by this much. */
    private const CLOCKS_APART_US = 1_000_000;
    private const NAME = 'ratelimit.preflight';

    /** @var list<string> */
    private array $settings = [];
    /** @var list<string> */
    private array $stores = [];
    /** @var array<string, true> the stores that have been asked, by DSN */
    private array $seen = [];

    public function __construct(int $identities)
    {
        Argument::range('$identities', $identities, 0, self::IDENTITIES_MAX);
    }

    /** @return array{settings: list<string>, stores: list<string>} */
    public function problems(): array
    {
        $settings = Settings::get();
        $this->settings = Warnings::ofConfiguration();
        $this->check($settings->store);
        foreach (LimitersFile::all() as $named) {
            $named->store === null || $this->check($named->store);
        }
        return ['settings' => $this->settings, 'stores' => $this->stores];
    }

    private function check(#[\SensitiveParameter] string $dsn): void
    {
        if (isset($this->seen[$dsn])) {
            return;
        }
        $this->seen[$dsn] = true;
        if ($dsn === Settings::EMBEDDED) {
            $this->settings[] = 'shm:: there is no shared memory, so limits hold in this process only; install the extension ratelimit, or set '
                . 'ratelimit.store to a Redis server';
            return;
        }
        $store = Guards::of($dsn)->redis();
        try {
            $store === null || $this->checkRedis($store, Label::mask($dsn));
        } catch (StoreFailure $e) {
            $this->stores[] = $e->getMessage();
        } catch (StaleBoundaries) {
        }
    }

    /**
     * @throws StoreFailure
     * @throws StaleBoundaries
     */
    private function checkRedis(RedisStore $store, string $label): void
    {
        /* Both kinds of decisions, which write, about an identity of this process alone. They expire after a second. */
        $id = Time::trueWall();
        $store->count(new Key(Key::ACTION, self::NAME, $id), new CounterQuestion(1, 1), false);
        $store->ask(new Key(Key::LIMITER, self::NAME, $id), new Question(Op::CONSUME, [new Rule(Algorithm::FIXED_WINDOW, 1, 1_000_000)]));
        $policy = $store->evictionPolicy();
        if ($policy !== null && $policy !== 'noeviction' && $policy !== 'volatile-ttl') {
            $this->settings[] = "$label: it evicts bans when it is full (maxmemory-policy $policy); set volatile-ttl or noeviction";
        }
        $ahead = $store->wall() - Time::trueWall();
        if (abs($ahead) > self::CLOCKS_APART_US) {
            $this->settings[] = sprintf('%s: its clock is %.1f s %s this machine\'s; run NTP on both', $label, abs($ahead) / 1e6, $ahead < 0 ? 'behind' : 'ahead of');
        }
    }
}
