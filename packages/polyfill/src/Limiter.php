<?php

declare(strict_types=1);

namespace FrequencyLimit;

use DateTimeInterface;
use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Op;
use FrequencyLimit\Polyfill\Core\Question;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\Guard\Failures;
use FrequencyLimit\Polyfill\Guard\Guard;
use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Limit\LimitData;
use FrequencyLimit\Polyfill\Limit\LimitList;
use FrequencyLimit\Polyfill\Limiter\Acquirer;
use FrequencyLimit\Polyfill\Limiter\Costs;
use FrequencyLimit\Polyfill\Limiter\Grant;
use FrequencyLimit\Polyfill\Limiter\Identities;
use FrequencyLimit\Polyfill\Limiter\LimiterCore;
use FrequencyLimit\Polyfill\Named\LimitersFile;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Redis\DsnError;
use FrequencyLimit\Polyfill\Redis\DsnParser;
use FrequencyLimit\Polyfill\Redis\Label;
use FrequencyLimit\Polyfill\Request\Networks;
use FrequencyLimit\Polyfill\Result\Listener;
use FrequencyLimit\Polyfill\Sealed;
use FrequencyLimit\Polyfill\Settings;

/**
 * A named set of limits and the store of their counts. Two limiters of the same name on the same store share their counts.
 *
 * $id is an identity, or of limits with by() an array of one for each label. $cost is 1 to 1,000,000,000,000 (10^12) for each limit,
 * or an array of a cost for each limit by its name: ['requests' => 1, 'tokens' => 1830]. A cost of 0 leaves that limit alone. A
 * label or a name that is none, or that is missing, is an InvalidArgument.
 */
final class Limiter implements LimiterInterface
{
    use NotSerializable;
    use Sealed;

    public readonly string $name;
    /**
     * The limits, with their names.
     *
     * @var list<Limit>
     */
    public readonly array $limits;
    /** The store of its own, the password masked; null: ratelimit.store. */
    public readonly ?string $store;

    private LimiterCore $core;
    /** @var array<string|int, Limiter> by their names */
    private static array $defined = [];

    /**
     * @param string                     $name   1 to 255 bytes
     * @param Limit|array<string|int, Limit> $limits 1 to 8 limits, decided together: all of them count, or none does. A string
     *                                           key is the name of its limit, as by named(); an int key is not. All names must
     *                                           differ.
     * @param string|null                $store  a DSN, as in ratelimit.store; null: that setting
     * @throws InvalidArgument
     */
    public function __construct(string $name, Limit|array $limits, #[\SensitiveParameter] ?string $store = null)
    {
        if (isset($this->core)) {
            throw new \Error('A FrequencyLimit\Limiter cannot be constructed twice: make a new one');
        }
        Argument::bytes('$name', $name);
        if ($store !== null && $store !== Settings::EMBEDDED) {
            try {
                DsnParser::parse($store);
            } catch (DsnError $e) {
                throw Argument::invalid('$store must be "shm:" or the DSN of a Redis server: ' . $e->getMessage());
            }
        }
        $list = LimitList::read($limits);
        [$enforced, $shadows, $nones] = LimitList::withoutNone($list);
        LimitList::checkLabels($name, $enforced, $shadows);
        $this->core = match (true) {
            $enforced === [] && $shadows === [] => new LimiterCore($name, [], $store, LimitList::storeless($list), nones: $nones),
            $enforced === [] => new LimiterCore($name, $shadows, $store, isShadow: true, nones: $nones),
            default => new LimiterCore($name, $enforced, $store, shadow: $shadows ? new LimiterCore($name, $shadows, $store, isShadow: true, isBeside: true) : null, nones: $nones),
        };
        $this->name = $name;
        $others = array_map(static fn (array $none): LimitData => LimitData::none(...$none), $nones);
        $this->limits = array_map(Access::limit(...), $enforced === [] ? [...$shadows, ...$others] : [...$enforced, ...$others, ...$shadows]);
        $this->store = $store === null || $store === Settings::EMBEDDED ? $store : Label::mask($store);
    }

    /**
     * Returns the limiter that the file of ratelimit.limiters has under this name, with its limits, its store, its on_failure and
     * its exempt identities. docs/settings.md of ratelimit has the format. A change of the file is taken up within a second; a
     * file with a mistake changes nothing. A Limiter keeps the limits that it was made with. A name that the file does not have is
     * that of a limiter of define().
     *
     * @throws InvalidArgument when there is none of this name
     */
    public static function named(string $name): Limiter
    {
        $named = LimitersFile::find($name);
        if ($named === null) {
            return self::$defined[$name] ?? throw LimitersFile::notNamed($name);
        }
        $limiter = new self($named->name, $named->limits(), $named->store);
        $limiter->core = $limiter->core->of($named);
        return $limiter;
    }

    /**
     * Gives an application's limiter to named() and to #[RateLimit], by its name, until the end of the request, or of the process on
     * the command line. A limiter of the file that has the same name takes its place; a later definition replaces it.
     */
    public static function define(Limiter $limiter): void
    {
        self::$defined[$limiter->name] = $limiter;
    }

    private function __clone()
    {
    }

    /**
     * Takes $cost from every limit, or from none.
     *
     * @param int|string|array<string, int|string> $id      an identity, or of limits with by() one for each label
     * @param int|array<string, int>               $cost    1 to 1,000,000,000,000 (10^12), or a cost for each limit by its name, of
     *                                                      which some may be 0
     * @param int                                  $leave   what must remain of every limit afterwards, 0 to 10^12: so that important
     *                                                      callers keep a share
     * @param int|null                             $atLeast 1 to $cost: takes as much of the cost as there is, at least so much;
     *                                                      Result::$granted has it. null: all of the cost. Not together with costs
     *                                                      of the limits that differ, or with several identities
     * @throws InvalidArgument for a limiter with a concurrent limit, too: acquire() takes its places
     * @throws StoreException
     */
    public function consume(mixed $id, int|array $cost = 1, int $leave = 0, ?int $atLeast = null): Result
    {
        $id = Identities::check($id, '\Limiter::consume');
        [$guard, $q] = $this->begin(Op::CONSUME, $cost);
        $this->setShare($q, $leave, $atLeast);
        $keys = Identities::keys($this->core, $id);
        $this->checkNoPlaces('consume');
        return $this->core->result($this->core->ask($guard, $keys, $q), null, \is_int($id) ? $id : null);
    }

    /**
     * Does the same as consume() and returns whether the call passes, without a Result.
     *
     * @param int|string|array<string, int|string> $id   as in consume()
     * @param int|array<string, int>               $cost as in consume()
     * @throws InvalidArgument
     * @throws StoreException
     */
    public function allow(mixed $id, int|array $cost = 1): bool
    {
        $id = Identities::check($id, '\Limiter::allow');
        [$guard, $q] = $this->begin(Op::CONSUME, $cost);
        $keys = Identities::keys($this->core, $id);
        $this->checkNoPlaces('allow');
        return $this->core->ask($guard, $keys, $q)->accepted;
    }

    /**
     * Does the same as consume() and returns a Permit, by which the cost can be settled or given back, and which holds the
     * places of concurrent limits. A refused call gets a permit that holds nothing.
     *
     * With $maxWait, a call that would be refused books the first moment at which it passes, if that is at most so many seconds
     * away: first come, first served. Permit::$result->wait has the seconds, and Permit::wait() sleeps so long. A calendar
     * limit books at most into its next window. Where no place of a concurrent limit is free, acquire() itself asks again after
     * a short, random pause, for $maxWait at most.
     *
     * @param int|string|array<string, int|string> $id      as in consume()
     * @param int|array<string, int>               $cost    as in consume()
     * @param int|float                            $maxWait 0 to 315,360,000 seconds; 0 with several identities
     * @param int                                  $leave   as in consume()
     * @param int|null                             $atLeast as in consume(); not together with $maxWait
     * @throws InvalidArgument
     * @throws StoreException
     */
    public function acquire(mixed $id, int|array $cost = 1, int|float $maxWait = 0, int $leave = 0, ?int $atLeast = null): Permit
    {
        $id = Identities::check($id, '\Limiter::acquire');
        [$guard, $q] = $this->begin(Op::ACQUIRE, $cost);
        $maxWaitUs = Argument::duration('$maxWait', $maxWait, 0);
        $this->setShare($q, $leave, $atLeast);
        $keys = Identities::keys($this->core, $id);
        if ($maxWaitUs > 0) {
            $this->checkHasOneLabel('$maxWait above 0');
            if ($atLeast !== null) {
                throw Argument::invalid("\$atLeast must be null with \$maxWait above 0, $atLeast given");
            }
        }
        $answer = (new Acquirer($this->core, $guard, $keys))->acquire($q, $this->core->isShadow ? 0 : $maxWaitUs);
        $caller = \count($keys) === 1 && \is_int($keys[0]->id) ? $keys[0]->id : null;
        $grant = Grant::of($this->core, $keys, $answer, $caller);
        $grant->acquireShadow($q, $caller);
        $permit = Access::permit($grant);
        if ($answer->store !== LimiterCore::EXEMPT) {
            Listener::limiter($this->core, $keys, $q, $answer); /* with an exception of the listener the permit ends */
        }
        return $permit;
    }

    /**
     * Returns the decision that consume() would make now. Counts nothing.
     *
     * @param int|string|array<string, int|string> $id   as in consume()
     * @param int|array<string, int>               $cost also 0: the state as it is, without one more call. It is accepted unless the
     *                                                   identity is banned; $remaining is what is left, and $nextAfter has the time
     *                                                   until the next call passes
     * @throws InvalidArgument
     * @throws StoreException
     */
    public function peek(mixed $id, int|array $cost = 1): Result
    {
        $id = Identities::check($id, '\Limiter::peek');
        [$guard, $q] = $this->begin(Op::PEEK, $cost);
        return $this->core->result($this->core->ask($guard, Identities::keys($this->core, $id), $q), null, \is_int($id) ? $id : null);
    }

    /**
     * Does consume() for each identity on its own, in one round trip (in a cluster one to each node, one after the other). Not for
     * limits with by().
     *
     * @param array<int|string>      $ids  ints and strings; the results have the same keys, in the same order
     * @param int|array<string, int> $cost as in consume()
     * @return Result[]
     * @throws InvalidArgument before anything is counted
     * @throws StoreException
     */
    public function consumeMany(array $ids, int|array $cost = 1): array
    {
        [$guard, $q] = $this->begin(Op::CONSUME, $cost);
        $this->checkNoPlaces('consumeMany');
        if ($this->core->labels) {
            throw Argument::invalid("\$limits must have no by() for consumeMany(), by('{$this->core->labels[0]}') given");
        }
        $keys = [];
        foreach ($ids as $id) {
            $keys[] = $this->core->key(self::identityAt(\count($keys), $id));
        }
        $answers = $keys ? $this->core->askMany($guard, $keys, $q) : [];
        return array_combine(array_keys($ids), array_map(fn (Answer $answer): Result => $this->core->result($answer), $answers));
    }

    private static function identityAt(int $position, mixed $id): int|string
    {
        $argument = "\$ids (position $position)";
        return match (true) {
            \is_int($id) => $id,
            \is_string($id) => Argument::identityText($argument, $id),
            default => throw Argument::invalid("$argument must be an int or a string, " . get_debug_type($id) . ' given'),
        };
    }

    /**
     * Books a moment, now or up to ten years ahead, if every interval that contains it keeps its limit. For limiters of calendar
     * and sliding-log limits only, that share one identity.
     *
     * @param int|string|array<string, int|string> $id   as in consume()
     * @param int|float|DateTimeInterface          $at   a unix time or a moment. One that is past by less than a second, as time()
     *                                                   always is, is taken for now.
     * @param int|array<string, int>               $cost as in consume()
     * @throws InvalidArgument for a moment that is past, or a limit of another algorithm
     * @throws StoreException
     */
    public function reserve(mixed $id, int|float|DateTimeInterface $at, int|array $cost = 1): Result
    {
        $id = Identities::check($id, '\Limiter::reserve');
        [$guard, $q] = $this->begin(Op::RESERVE, $cost);
        $keys = Identities::keys($this->core, $id);
        $this->checkCanBook('reserve()');
        $now = $guard->wall();
        $q->at = max($now, Argument::comingMoment('$at', $at, $now));
        return $this->core->result($this->core->ask($guard, $keys, $q), null, \is_int($id) ? $id : null);
    }

    /**
     * Gives a booked moment back. False when it was not booked.
     *
     * @param int|string|array<string, int|string> $id   as in consume()
     * @param int|array<string, int>               $cost as in consume()
     * @throws InvalidArgument
     * @throws StoreException
     */
    public function cancel(mixed $id, int|float|DateTimeInterface $at, int|array $cost = 1): bool
    {
        $id = Identities::check($id, '\Limiter::cancel');
        [$guard, $q] = $this->begin(Op::CANCEL, $cost);
        $keys = Identities::keys($this->core, $id);
        $this->checkCanBook('cancel()');
        $q->at = Argument::moment('$at', $at);
        return $this->core->ask($guard, $keys, $q)->found;
    }

    /**
     * Gives back up to $cost permits of what is counted now, in every limit and never above it. Moves no window. It is a gift to
     * what runs now, not tied to an earlier call: if the window of that call is over, the running one admits more.
     *
     * @param int|string|array<string, int|string> $id   as in consume()
     * @param int|array<string, int>               $cost as in consume()
     * @throws InvalidArgument
     * @throws StoreException
     */
    public function credit(mixed $id, int|array $cost = 1): void
    {
        $id = Identities::check($id, '\Limiter::credit');
        [$guard, $q] = $this->begin(Op::CREDIT, $cost);
        $keys = Identities::keys($this->core, $id);
        $this->core->ask($guard, $keys, $q);
    }

    /**
     * Bans an identity by hand, or each of those that $id has, for one label or more. Replaces a running ban.
     *
     * With $network the extension bans every address of a network, on its machine. This package has no memory that processes share, and throws:
     * refuse= in the file of ratelimit.limiters does the same.
     *
     * @param int|string|array<string, int|string> $id  an identity, or of limits with by() those of some labels
     * @param int|float|Period|DateTimeInterface   $end a number: 0.001 seconds to ten years from now; a Period: the clock's next
     *                                                  boundary in PHP's default time zone; a moment: from now to ten years ahead
     * @throws InvalidArgument
     * @throws StoreException
     */
    public function ban(mixed $id, int|float|Period|DateTimeInterface $end, bool $network = false): void
    {
        $id = Identities::check($id, '\Limiter::ban');
        [$guard, $q] = $this->begin(Op::BAN, 1);
        $keys = Identities::someKeys($this->core, $id);
        [$q->banKind, $q->banUs] = Argument::banEnd('$end', $end, $guard->wall());
        if ($network) {
            throw self::noNetworkBan($keys);
        }
        $this->askEach($guard, $keys, $q);
    }

    /** @param array<int, Key> $keys */
    private static function noNetworkBan(array $keys): InvalidArgument|StoreException
    {
        foreach ($keys as $key) {
            if (!\is_string($key->id) || !Networks::isNetwork($key->id)) {
                return Argument::invalid('$id must be a network with network: true, as "203.0.113.0/24"');
            }
        }
        return new StoreException('The ban of a network requires the shared memory of the extension: write refuse= into the file of ratelimit.limiters');
    }

    /**
     * Lifts a ban, or those of each identity that $id has; counts stay. True when there was one.
     *
     * @param int|string|array<string, int|string> $id as in ban()
     * @throws InvalidArgument
     * @throws StoreException
     */
    public function unban(mixed $id): bool
    {
        $id = Identities::check($id, '\Limiter::unban');
        [$guard, $q] = $this->begin(Op::UNBAN, 1);
        return $this->askEach($guard, Identities::someKeys($this->core, $id), $q);
    }

    /**
     * Forgets the counts and the ban of an identity, or of each one that $id has. True when there were any.
     *
     * @param int|string|array<string, int|string> $id as in ban()
     * @throws InvalidArgument
     * @throws StoreException
     */
    public function reset(mixed $id): bool
    {
        $id = Identities::check($id, '\Limiter::reset');
        [$guard, $q] = $this->begin(Op::RESET, 1);
        return $this->askEach($guard, Identities::someKeys($this->core, $id), $q);
    }

    /**
     * Asks about the state of each key. Returns whether there was a ban or a state in any.
     *
     * @param array<int, Key> $keys by the labels' indexes
     */
    private function askEach(Guard $guard, array $keys, Question $q): bool
    {
        $found = false;
        foreach ($keys as $label => $key) {
            $found = $this->core->command($guard, $label, $key, $q)->found || $found;
        }
        return $found;
    }

    /**
     * @param int|array<mixed> $cost
     * @return array{Guard, Question}
     */
    private function begin(int $op, int|array $cost): array
    {
        [$one, $costs] = Costs::read($this->core, $cost, $op === Op::PEEK ? 0 : 1);
        $guard = $this->core->guard();
        Failures::checkClock($guard);
        $q = new Question($op, $this->core->askedRules(), $one);
        $q->costs = $costs;
        return [$guard, $q];
    }

    /** Sets the share to leave, and the part of the cost that is enough. */
    private function setShare(Question $q, int $leave, ?int $atLeast): void
    {
        if ($leave === 0 && $atLeast === null) {
            return;
        }
        Argument::range('$leave', $leave, 0, Bounds::LIMIT_MAX);
        if ($atLeast !== null) {
            $q->costs === null && Argument::range('$atLeast', $atLeast, 1, $q->cost);
            $this->checkHasOneLabel('$atLeast');
            if ($q->costs !== null) {
                throw Argument::invalid('$atLeast must be null with a cost for each limit, an array of costs and another value given');
            }
        }
        if ($this->core->isShadow) {
            return; /* shadow limits judge all of the cost, and no more */
        }
        $q->leave = $leave;
        $q->atLeast = $atLeast === $q->cost ? 0 : $atLeast ?? 0;
    }

    /** @param string $given an argument or a method that needs one identity */
    private function checkHasOneLabel(string $given): void
    {
        if (\count($this->core->labels) > 1) {
            [$first, $second] = $this->core->labels;
            throw Argument::invalid("\$limits must share one identity for $given, by('$first') and by('$second') given");
        }
    }

    /** Only acquire() takes the places of a concurrent limit. */
    private function checkNoPlaces(string $method): void
    {
        foreach ([$this->core->shadow, $this->core] as $core) {
            self::checkHasNoPlaces($core?->hasConcurrent ? $core->rules : [], $method);
        }
    }

    /** @param list<Rule> $rules */
    private static function checkHasNoPlaces(array $rules, string $method): void
    {
        foreach ($rules as $i => $rule) {
            if ($rule->algorithm === Algorithm::CONCURRENT) {
                throw Argument::invalid("\$limits must have no concurrent limit for $method(), one given at position $i: acquire() takes its places");
            }
        }
    }

    /** All limits must have an algorithm that can keep future moments. */
    private function checkCanBook(string $method): void
    {
        foreach ($this->core->rules as $i => $rule) {
            if ($rule->algorithm !== Algorithm::CALENDAR_WINDOW && $rule->algorithm !== Algorithm::SLIDING_LOG) {
                throw Argument::invalid("\$limits must all be calendar or sliding-log limits for reserve() and cancel(), another algorithm given at position $i");
            }
        }
        $this->checkHasOneLabel($method);
    }
}
