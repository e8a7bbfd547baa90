--TEST--
A decision of the embedded store needs no more instructions than bounds.inc allows
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/instructions.inc';
needs_callgrind();
?>
--FILE--
<?php
require __DIR__ . '/instructions.inc';
[$counts, $by] = least_instructions(['dohandle', 'fixed_window', 'allow', 'allow_string', 'allow_calendar', 'allow_bucket', 'calendar', 'token_bucket', 'banned', 'banned_log', 'sliding_log', 'sliding_window', 'three', 'large', 'costs', 'labels', 'labels_first', 'labels_last', 'places', 'attributed', 'rate_limited', 'rate_limited_two', 'rate_limited_place']);
within_bounds($counts, $by);
done();
?>
--EXPECT--
done
