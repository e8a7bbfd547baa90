--TEST--
An address as an identity: IPv6 by /64, an IPv4 address in IPv6 clothes is the IPv4 address
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/examples.inc';

use App\ClientAddress;

foreach ([
	'192.0.2.1' => '192.0.2.1',
	'::ffff:192.0.2.1' => '192.0.2.1',
	'2001:db8:1:2:3:4:5:6' => '2001:db8:1:2::/64',
	'2001:0DB8:0001:0002::1' => '2001:db8:1:2::/64',
	'2001:db8:1:3::1' => '2001:db8:1:3::/64',
	'fe80::1%eth0' => 'fe80::/64',
	'::1' => '::/64',
] as $address => $identity) {
	same($identity, ClientAddress::identity($address), $address);
}
foreach (['', 'localhost', '192.0.2', '192.0.2.1:80', '1.2.3.4, 5.6.7.8'] as $address) {
	throws(InvalidArgumentException::class, [$address], fn () => ClientAddress::identity($address), "'$address'");
}

done();
?>
--EXPECT--
done
