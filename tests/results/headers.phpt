--TEST--
headers() returns RateLimit-Policy, RateLimit and, for a refusal, Retry-After in seconds, rounded up
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Clock;
Clock::freeze(1_900_000_000);

$check = fn (int $number = 3) => FrequencyLimit::check('headers', 'a', 30, $number);
$h = $check()->headers();
same(['RateLimit-Policy', 'RateLimit'], array_keys($h), 'names of an accepted one');
ok((bool) preg_match('/^"[\x20-\x7e]+";q=3;w=30$/', $h['RateLimit-Policy']), "policy: {$h['RateLimit-Policy']}");
ok((bool) preg_match('/^"[\x20-\x7e]+";r=2;t=30$/', $h['RateLimit']), "ratelimit: {$h['RateLimit']}");
$check();
$check();
Clock::advance(10.5);
$h = $check()->headers();
same(['RateLimit-Policy', 'RateLimit', 'Retry-After'], array_keys($h), 'names of a refusal');
same('20', $h['Retry-After'], '19.5 s are rounded up');
ok(str_ends_with($h['RateLimit'], ';r=0;t=20'), "ratelimit: {$h['RateLimit']}");
Clock::advance(19.499);
same('1', $check()->headers()['Retry-After'], 'one millisecond is a second, not 0');
foreach ($check()->headers() as $name => $value) {
	same('string', get_debug_type($value), "$name is a string");
}
done();
?>
--EXPECT--
done
