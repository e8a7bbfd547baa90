--TEST--
A text that is no limit is an InvalidArgument with the text and the mistake
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;

foreach ([
	'' => 'a limit looks like',
	'10/30s' => 'a limit looks like',
	'best:10/30s' => 'there is no "best"',
	'FIXED:10/30s' => 'there is no "FIXED"',
	' fixed:10/30s' => 'there is no " fixed"',
	'fixed:/30s' => '"/30s" must be a number',
	'fixed:10' => '"10" must be a number',
	'fixed:-1/30s' => 'must be a number',
	'fixed:1234567890123456/30s' => 'must be a number',
	'fixed:0/30s' => 'limit must be between 1 and 1000000000000, 0 given',
	'fixed:1000000000001/30s' => 'limit must be between 1 and 1000000000000, 1000000000001 given',
	'log:10001/30s' => 'between 1 and 10000',
	'concurrent:10001/30s' => 'between 1 and 10000',
	'bucket:0/30s' => 'rate must be between 1 and 1000000000000',
	'bucket:1/30s,burst=0' => 'burst must be between 1',
	'bucket:1/30s,burst=1000000000001' => 'burst must be between 1 and 1000000000000, 1000000000001 given',
	'bucket:1/30s,burst=x' => 'a burst is a number, "x" given',
	'bucket:1/3650d,burst=2' => 'a bucket must fill within',
	'log:1/30s,burst=2' => 'only a bucket has a burst',
	'fixed:1/30' => 'a duration looks like',
	'fixed:1/s' => 'a duration looks like',
	'fixed:1/' => 'a duration looks like',
	'fixed:1/30 s' => 'a duration looks like',
	'fixed:1/1.s' => 'a duration looks like',
	'fixed:1/1.1234567s' => 'a duration looks like',
	'fixed:1/0s' => 'between 1ms and 3650d',
	'fixed:1/0.9ms' => 'between 1ms and 3650d',
	'fixed:1/3650.00000001d' => 'a duration looks like',
	'fixed:1/3650.000001d' => 'between 1ms and 3650d',
	'fixed:1/999999999999999w' => 'between 1ms and 3650d',
	'fixed:1/30s@Europe/Paris' => 'only a calendar has a time zone',
	'calendar:1/30s' => 'a calendar counts per minute',
	'calendar:1/day@' => 'a time zone looks like',
	'calendar:1/day@Mars/Base' => '"Mars/Base" must be a time zone',
	"calendar:1/day@Asia\0" => 'a time zone looks like',
	'calendar:1/day@' . str_repeat('x', 64) => 'a time zone looks like',
	'calendar:1/day@UTC,ban=day@UTC' => 'in the time zone of the calendar',
	'fixed:1/30s,ban=day@Mars/Base' => 'must be a time zone',
	'fixed:1/30s,ban=ever' => 'a duration looks like',
	'fixed:1/30s,ban=1h@UTC' => 'a duration looks like',
	'fixed:1/30s,ban=@' => 'a moment is a unix time',
	'fixed:1/30s,ban=@253402300800' => 'a moment is a unix time',
	'fixed:1/30s,ban=@' . time() + 400_000_000 => 'within ten years from now',
	'concurrent:1/30s,ban=1h' => 'a concurrent limit has no ban',
	'concurrent:1/30s,bans=1h,forget=1d' => 'a concurrent limit has no bans',
	'fixed:1/30s,bans=1h' => 'bans and forget need each other',
	'fixed:1/30s,forget=1h' => 'bans and forget need each other',
	'fixed:1/30s,bans=1h+1m,forget=1d' => 'at least as long as the one before it, "1m" given',
	'fixed:1/30s,bans=1h+,forget=1d' => 'a duration looks like',
	'fixed:1/30s,bans=1h,forget=1m' => 'forget must be at least the longest',
	'fixed:1/30s,bans=1h,forget=1d,ban=1h' => 'no limit has both ban and bans',
	'fixed:1/30s,ban=1h,bans=1h,forget=1d' => 'no limit has both ban and bans',
	'fixed:1/30s,bans=' . implode('+', array_fill(0, 17, '1s')) . ',forget=1d' => 'at most 16 times',
	'fixed:1/30s,lease=5' => 'write "lease", once: the machine chooses the number, "lease=5" given',
	'fixed:1/30s,lease=auto' => 'write "lease", once: the machine chooses the number, "lease=auto" given',
	'fixed:1/30s,lease,lease' => 'write "lease", once',
	'fixed:1/30s,name=' => '"name=" is not an option of it',
	'fixed:1/30s,name' => '"name" is not an option of it',
	'fixed:1/30s,name=a,name=b' => '"name=b" is not an option of it',
	'fixed:1/30s,what=1' => '"what=1" is not an option of it',
	'fixed:1/30s,carry=5' => 'a limit has no carry-over, "carry=5" given',
	'fixed:1/30s,' => '"" is not an option of it',
	'fixed:1/30s,name=100%' => '%25 stands for the percent sign',
	'fixed:1/30s,name=%2' => '%25 stands for the percent sign',
	'fixed:1/30s,name=%00' => 'a name must be printable ASCII',
	'fixed:1/30s,name=ä' => 'a name must be printable ASCII',
	'fixed:1/30s,name=' . str_repeat('x', 65) => 'between 1 and 64 bytes',
] as $text => $why) {
	$text = (string) $text;
	throws(InvalidArgument::class, ["非法参数: \"" . strtok($text, "\0"), '" is not a limit: ', $why], fn () => Limit::parse($text), json_encode($text, JSON_PARTIAL_OUTPUT_ON_ERROR));
}
throws(TypeError::class, ['must be of type string'], fn () => Limit::parse([]), 'an array');
done();
?>
--EXPECT--
done
