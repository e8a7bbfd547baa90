--TEST--
#[RateLimit] on a class limits the public methods that it declares, and a call within another one is not charged again
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{AccessLimit, Limit, Limiter, LimitExceeded, RateLimit};

trait Helps
{
	public function fromTrait(): int { return $this->one(); }
	#[AccessLimit(60, 1)] public function limitedInTrait(): int { return 1; }
}
interface Speaks { public function speak(): string; }
abstract class Base implements Speaks
{
	public function inherited(): int { return 1; }
	abstract public function later(): int;
}
#[RateLimit('api'), RateLimit('slow', cost: 2)]
class Controller extends Base
{
	use Helps;
	public int $n = 0;
	public function __construct() { $this->one(); }
	public function __destruct() {}
	public function __get(string $name): int { return 5; }
	public function __toString(): string { return 'text'; }
	public function __invoke(): int { return 1; }
	public function one(): int { return 1; }
	public function nested(): int { return $this->one() + $this->__invoke() + $this->hidden() + self::still(); }
	public function other(self $that): int { return $that->one(); }
	public function later(): int { return 1; }
	public function speak(): string { return 'hello'; }
	public static function still(): int { return 1; }
	public function generate(): Generator { yield $this->one(); yield 2; }
	public function fiber(): int { $fiber = new Fiber($this->one(...)); $fiber->start(); return $fiber->getReturn(); }
	public function throws(): never { throw new DomainException(); }
	#[RateLimit('more')] public function more(): int { return $this->one(); }
	public function again(): int { return $this->more() + $this->more(); }
	public function last(): ?int { return FrequencyLimit\Request::lastResult()?->limit; }
	protected function hidden(): int { return 1; }
}
class Child extends Controller
{
	public function one(): int { return parent::one() + 1; }
	public function own(): int { return $this->speak() === 'hello' ? 1 : 0; }
}
#[RateLimit('enum')] enum Suit { case Heart; public function label(): string { return $this->name; } public static function first(): self { return self::Heart; } }

Limiter::define(new Limiter('api', Limit::slidingWindow(1000, 600)));
Limiter::define(new Limiter('slow', Limit::tokenBucket(1000, 31536000)));
Limiter::define(new Limiter('more', Limit::fixedWindow(100, 600)));
Limiter::define(new Limiter('enum', Limit::fixedWindow(100, 600)));

/** Returns how often a call has been charged. */
function charged(callable $call): int
{
	$left = fn () => [Limiter::named('api')->peek('ip:local', 0)->remaining, Limiter::named('slow')->peek('ip:local', 0)->remaining];
	[$api, $slow] = $left();
	try {
		$call();
	} catch (DomainException) {
	}
	[$api_now, $slow_now] = $left();
	same(2 * ($api - $api_now), $slow - $slow_now, 'both limiters, each with its cost');
	return $api - $api_now;
}

$c = new Controller();
same(1, charged(fn () => new Controller()), 'a constructor is not limited, but what it calls is');
foreach (['one' => 1, '__invoke' => 1, 'later' => 1, 'speak' => 1, 'nested' => 1, 'throws' => 1, 'fiber' => 1, 'more' => 1, 'again' => 1, 'inherited' => 0, 'fromTrait' => 1,
	'limitedInTrait' => 0, '__toString' => 0] as $method => $times) {
	same($times, charged($c->$method(...)), $method);
}
same(3, charged(fn () => [$c->one(), $c(), Controller::still()]), 'one behind another');
same(2, charged(fn () => $c->other(new class extends Controller { public function __construct() {} })), 'another object');
same(0, charged(fn () => $c->unknown), 'a magic method');
same(0, charged(fn () => $c->generate()), 'a generator that has not begun');
same(1, charged(fn () => iterator_to_array($c->generate())), 'one that runs');
same(1, charged(fn () => (function (): int { return $this->hidden() + $this->one(); })->call($c)), 'a closure of the class');
same(100 - 3, Limiter::named('more')->peek('ip:local', 0)->remaining, 'the attribute of a method counts each call');
$child = (new ReflectionClass(Child::class))->newInstanceWithoutConstructor();
same([1, 1, 0], [charged($child->one(...)), charged($child->own(...)), charged($child->inherited(...))], 'a child has what it inherits');
same(['Heart', 'Heart', 98], [Suit::Heart->label(), Suit::first()->name, Limiter::named('enum')->peek('ip:local', 0)->remaining], 'an enum');
same(1000, $c->last(), 'the latest decision');

Limiter::define(new Limiter('api', Limit::fixedWindow(1, 60)->named('one')));
$c->one();
try {
	$c->nested();
	$refused = null;
} catch (LimitExceeded $e) {
	$refused = [$e->result->name, $e->getFile() === __FILE__];
}
same(['one', true], $refused, 'a refused call');
done();
?>
--EXPECT--
done
