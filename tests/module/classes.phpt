--TEST--
Exceptions, enums and final classes match the stub
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';

foreach (['FrequencyLimit', 'FrequencyLimit\Limit', 'FrequencyLimit\Limiter', 'FrequencyLimit\Result', 'FrequencyLimit\Monitor', 'FrequencyLimit\Request', 'FrequencyLimit\Clock', 'FrequencyLimit\LimitExceeded'] as $class) {
	same(true, (new ReflectionClass($class))->isFinal(), "$class is final");
}
same('InvalidArgumentException', get_parent_class('FrequencyLimit\InvalidArgument'), 'InvalidArgument');
same('RuntimeException', get_parent_class('FrequencyLimit\StoreException'), 'StoreException');
same('RuntimeException', get_parent_class('FrequencyLimit\LimitExceeded'), 'LimitExceeded');
same(['accepted', 'limited', 'banned', 'too_expensive', 'store_unavailable'], array_column(FrequencyLimit\Reason::cases(), 'value'), 'Reason');
same(['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'], array_column(FrequencyLimit\Period::cases(), 'value'), 'Period');
same(false, enum_exists('FrequencyLimit\Algorithm'), 'no enum that nothing takes or returns');
same(FrequencyLimit\Reason::Banned, FrequencyLimit\Reason::from('banned'), 'from()');
foreach (['Limit', 'Clock', 'Monitor', 'Request'] as $class) {
	throws(Error::class, ['private'], fn () => new ("FrequencyLimit\\$class")(), "new $class");
}
done();
?>
--EXPECT--
done
