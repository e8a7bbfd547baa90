<?php

namespace FrequencyLimit\Laravel\Tests;

use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\Repository;
use Illuminate\Support\Carbon;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Random operations answer as Laravel's own limiter on its array store does, on whole seconds.
 *
 * The differences that README.md lists are left out: limits of 0, counts that go down to 0 or 1, and periods above ten years.
 */
final class DifferentialTest extends TestCase
{
    /** RATELIMIT_PROGRAMS runs more of them. */
    private const PROGRAMS = 40;

    private const OPERATIONS = 100;

    public function testRandomOperationsAnswerAsLaravelsOwn(): void
    {
        $programs = (int) (getenv('RATELIMIT_PROGRAMS') ?: self::PROGRAMS);
        $operations = 0;

        for ($seed = 1; $seed <= $programs; $seed++) {
            $random = new Randomizer(new Mt19937($seed));
            $laravels = new RateLimiter(new Repository(new ArrayStore));
            $ours = $this->app->make(RateLimiter::class);
            $now = 1_800_000_000 + $random->getInt(0, 1000);
            $trace = [];

            for ($i = 0; $i < self::OPERATIONS; $i++, $operations++) {
                if ($random->getInt(0, 3) === 0) {
                    $now += [0, 1, 4, 5, 59, 60, 61][$random->getInt(0, 6)];
                }
                if ($i === 0 || $now !== Carbon::now()->getTimestamp()) {
                    Carbon::setTestNow(Carbon::createFromTimestamp($now));
                }

                [$name, $arguments] = $this->operation($random, "key-$seed-".$random->getInt(0, 2), $laravels);
                $expected = $laravels->$name(...$arguments);
                $actual = $ours->$name(...$arguments);
                $trace[] = [$now, $name, $arguments, $expected];
                if ($expected !== $actual) {
                    self::fail("seed $seed: ".$this->text($actual)." after:\n".implode("\n", array_map($this->line(...), $trace)));
                }
            }
        }

        self::assertSame($programs * self::OPERATIONS, $operations);
    }

    /** @return array{string, list<mixed>} */
    private function operation(Randomizer $random, string $key, RateLimiter $laravels): array
    {
        $decay = [1, 5, 60, now()->addSeconds(5), new \DateInterval('PT1M')][$random->getInt(0, 4)];
        $max = $random->getInt(1, 6);

        return match ($random->getInt(0, 11)) {
            0, 1 => ['hit', [$key, $decay]],
            2, 3 => ['attempt', [$key, $max, $this->returning($random->getInt(0, 2)), $decay]],
            4 => ['increment', [$key, $decay, $random->getInt(1, 4)]],
            5 => ($count = (int) $laravels->attempts($key)) > 2 ? ['decrement', [$key, $decay, $random->getInt(1, $count - 2)]] : ['attempts', [$key]],
            6 => ['tooManyAttempts', [$key, $max]],
            7 => ['attempts', [$key]],
            8 => ['remaining', [$key, $max]],
            9 => ['retriesLeft', [$key, $max]],
            10 => ['availableIn', [$key]],
            11 => ['clear', [$key]],
        };
    }

    private function returning(int $value): \Closure
    {
        return fn () => [null, 'value', false][$value];
    }

    private function line(array $step): string
    {
        [$now, $name, $arguments, $expected] = $step;

        return sprintf('%d %s(%s) = %s', $now, $name, implode(', ', array_map($this->text(...), $arguments)), $this->text($expected));
    }

    private function text(mixed $value): string
    {
        return match (true) {
            $value instanceof \Closure => 'fn',
            $value instanceof \DateTimeInterface => $value->format('c'),
            $value instanceof \DateInterval => $value->format('%iM%sS'),
            default => var_export($value, true),
        };
    }
}
