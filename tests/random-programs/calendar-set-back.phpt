--TEST--
Random programs: calendar windows match the reference model with a clock set back
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
$kind = 'calendarSetBack';
require __DIR__ . '/random.inc';
--EXPECT--
done
