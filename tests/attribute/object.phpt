--TEST--
An AccessLimit object validates its arguments, and can be neither changed, extended nor serialized
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . "/../include/assert.inc";
use FrequencyLimit\{AccessLimit, InvalidArgument, LimitExceeded, LoginRequired, Request};

const MINUTE = 60;

#[AccessLimit(seconds: MINUTE * 1.5, maxCount: 7, needLogin: true, action: "object")]
#[AccessLimit(10, action: "object")]
function limited(): void {}

$attributes = (new ReflectionFunction("limited"))->getAttributes(AccessLimit::class);
same(2, count($attributes), "both of them");
same(["seconds" => 90.0, "maxCount" => 7, "needLogin" => true, "action" => "object"], $attributes[0]->getArguments(), "the arguments");
$first = $attributes[0]->newInstance();
same([90.0, 7, true, "object"], [$first->seconds, $first->maxCount, $first->needLogin, $first->action], "the first");
$second = $attributes[1]->newInstance();
same([10, 5, false, "object"], [$second->seconds, $second->maxCount, $second->needLogin, $second->action], "the second, with defaults");
same(null, (new AccessLimit(1))->action, "no action");
$flags = (new ReflectionClass(AccessLimit::class))->getAttributes()[0]->newInstance()->flags;
same(Attribute::TARGET_FUNCTION | Attribute::TARGET_METHOD | Attribute::IS_REPEATABLE, $flags, "what it may be put on");

throws(InvalidArgument::class, ["非法参数", "\$seconds", "0.001", "0 given"], fn () => new AccessLimit(0), "seconds");
throws(InvalidArgument::class, ["\$seconds", "NAN given"], fn () => new AccessLimit(NAN), "seconds");
throws(InvalidArgument::class, ["\$maxCount", "1", "16777215", "0 given"], fn () => new AccessLimit(1, 0), "maxCount");
throws(InvalidArgument::class, ["\$action", "255", "0 given"], fn () => new AccessLimit(1, action: ""), "action");
throws(TypeError::class, ["\$seconds"], fn () => new AccessLimit("soon"), "a type");
throws(ArgumentCountError::class, [], fn () => new AccessLimit(), "nothing");
throws(Error::class, ["once"], fn () => $first->__construct(1), "a second time");
same(90.0, $first->seconds, "which changes nothing");
throws(Error::class, ["readonly"], fn () => $first->seconds = 1, "a property");
throws(Error::class, ["dynamic property"], fn () => $first->other = 1, "another property");
throws(Exception::class, ["Serialization"], fn () => serialize($first), "serialize()");
throws(Exception::class, ["Unserialization"], fn () => unserialize("O:26:\"FrequencyLimit\\AccessLimit\":0:{}"), "unserialize()");
same(true, (new ReflectionClass(AccessLimit::class))->isFinal(), "final");
$copy = clone $first;
same(90.0, $copy->seconds, "a copy is one");

/* Constant expressions of the run time are checked at the first call, with the same messages; no body runs. */
final class Late
{
	public static int $bodies = 0;

	#[AccessLimit(LATE_ZERO)]
	public static function seconds(): void { self::$bodies++; }

	#[AccessLimit(60, Later::ZERO)]
	public static function maxCount(): void { self::$bodies++; }

	#[AccessLimit(UNDEFINED_CONSTANT)]
	public static function undefined(): void { self::$bodies++; }

	#[AccessLimit(Missing::ZERO, 1)]
	public static function missing(): void { self::$bodies++; }

	#[AccessLimit(LATE_SECONDS)]
	public static function type(): void { self::$bodies++; }

	#[AccessLimit(60, action: LATE_ACTION), AccessLimit(3600, action: "two")]
	public static function actions(): void { self::$bodies++; }
}
define("LATE_ZERO", 0);
spl_autoload_register(function (string $class) { if ($class === "Later") { eval("class Later { const ZERO = 0; }"); } });
define("LATE_SECONDS", "60");
define("LATE_ACTION", "one");
for ($i = 0; $i < 2; $i++) {
	throws(InvalidArgument::class, ["非法参数", "AccessLimit", "\$seconds", "0 given"], Late::seconds(...), "seconds at run time");
	throws(InvalidArgument::class, ["\$maxCount", "0 given"], Late::maxCount(...), "maxCount at run time");
	throws(Error::class, ["Undefined constant", "UNDEFINED_CONSTANT"], Late::undefined(...), "an undefined constant");
	throws(Error::class, ["Class \"Missing\" not found"], Late::missing(...), "a missing class");
	throws(InvalidArgument::class, ["\$seconds", "int|float", "string given"], Late::type(...), "a type at run time");
	throws(InvalidArgument::class, ["\$action", "the same"], Late::actions(...), "two actions at run time");
}
same(0, Late::$bodies, "no body ran");
define("WIDE", 2);
$limited = #[AccessLimit(60 * WIDE, WIDE)] fn () => true;
same([true, true], [$limited(), $limited()], "constants are taken");
throws(LimitExceeded::class, ["{closure}@", "2"], $limited, "at what they are");

same([2, false], [Request::lastResult()->limit, Request::lastResult()->accepted], "the latest decision");

/* enforce() by hand, where there is no attribute, is nothing; and new exceptions are ordinary ones. */
AccessLimit::enforce();
(function () { AccessLimit::enforce(); })();
call_user_func("FrequencyLimit\AccessLimit::enforce");
same(["x", 3], [(new LoginRequired("x", 3))->getMessage(), (new LoginRequired("x", 3))->getCode()], "LoginRequired");

done();
?>
--EXPECT--
done
