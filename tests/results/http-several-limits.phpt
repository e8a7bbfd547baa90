--TEST--
RateLimit-Policy lists all limits of a limiter, RateLimit what each has left, each by its name
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . "/../include/assert.inc";
use FrequencyLimit\{Clock, Limit, Limiter, Period};
Clock::freeze(1_900_000_000);

$headers = fn (array|Limit $limits, string $name, int $cost = 1): array => (new Limiter($name, $limits))->consume(1, $cost)->headers();

$login = [Limit::slidingLog(3, 60)->named("minute"), Limit::fixedWindow(20, 86400)->named("day")];
for ($i = 2; $i >= 0; $i--) {
	same(["RateLimit-Policy" => "\"minute\";q=3;w=60, \"day\";q=20;w=86400", "RateLimit" => "\"minute\";r=$i;t=60, \"day\";r=" . 17 + $i . ";t=86400"], $headers($login, "login"), "with $i left");
}
same(["RateLimit-Policy" => "\"minute\";q=3;w=60, \"day\";q=20;w=86400", "RateLimit" => "\"minute\";r=0;t=60, \"day\";r=17;t=86400", "Retry-After" => "60"], $headers($login, "login"), "refused");
Clock::advance(59.5);
same("1", $headers($login, "login")["Retry-After"], "half a second is a second");

/* The second one decides. */
$day = [Limit::fixedWindow(50, 60)->named("minute"), Limit::fixedWindow(1, 3600)->named("hour"), Limit::tokenBucket(2, 1, 40)->named("bucket")];
same("\"minute\";r=49;t=60, \"hour\";r=0;t=3600, \"bucket\";r=39;t=1", $headers($day, "second")["RateLimit"], "the tightest, and a bucket whose next permit comes in half a second");
same("\"minute\";q=50;w=60, \"hour\";q=1;w=3600, \"bucket\";q=40;w=20", $headers($day, "second")["RateLimit-Policy"], "a bucket takes 20 s to fill");

/* Without names. */
same("\"default\";q=1;w=1", $headers(Limit::fixedWindow(1, 0.001), "one")["RateLimit-Policy"], "one, of a millisecond");
$unnamed = [Limit::fixedWindow(5, 60), Limit::slidingLog(4, 60)->named("named"), Limit::fixedWindow(3, 3600)];
same(["RateLimit-Policy" => "\"default\";q=5;w=60, \"named\";q=4;w=60, \"default-3\";q=3;w=3600", "RateLimit" => "\"default\";r=4;t=60, \"named\";r=3;t=60, \"default-3\";r=2;t=3600"], $headers($unnamed, "some"), "some without a name");

/* Whatever a name may be. */
$odd = "a \"quoted\" \\ name, with; signs=1?";
same("\"a \\\"quoted\\\" \\\\ name, with; signs=1?\";q=1;w=60", $headers(Limit::fixedWindow(1, 60)->named($odd), "odd")["RateLimit-Policy"], "quotes and backslashes are escaped");
throws(FrequencyLimit\InvalidArgument::class, ["\$name", "printable ASCII"], fn () => Limit::fixedWindow(1, 1)->named("分"), "others are not to be had");

/* Never: no time to come again. */
$never = $headers([Limit::fixedWindow(5, 60), Limit::fixedWindow(50, 3600)], "never", 6);
same(["RateLimit-Policy", "RateLimit"], array_keys($never), "too expensive");
same("\"default\";r=5;t=0, \"default-2\";r=50;t=0", $never["RateLimit"], "nothing was taken");

/* A clock's windows have the length that they have. */
date_default_timezone_set("UTC");
same("\"default\";q=9;w=2678400", $headers(Limit::calendar(9, Period::Month, "UTC"), "month")["RateLimit-Policy"], "March 2030");

/* A Result does not change with later calls of its limiter. */
$limiter = new Limiter("kept", $login);
$first = $limiter->consume(1);
$before = $first->headers();
$limiter->consume(2);
unset($limiter);
same($before, $first->headers(), "kept");

done();
?>
--EXPECT--
done
