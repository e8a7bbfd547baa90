--TEST--
The client address is REMOTE_ADDR, or the last untrusted address of X-Forwarded-For behind a trusted proxy
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/request.inc';

const ECHO_ADDRESS = 'parse_str($_SERVER["QUERY_STRING"], $q); foreach ($q as $name => $value) ini_set("ratelimit.$name", $value);
	$_SERVER["REMOTE_ADDR"] = "198.51.100.99"; putenv("REMOTE_ADDR=198.51.100.98");
	echo FrequencyLimit\Request::clientAddress();';
$site = new FpmSite(site_folder(ECHO_ADDRESS));

/** The client of a request from $remote. */
function client(string $remote, array|string|null $forwarded = null, string $proxies = "", string $prefix = "64", array $more = []): string
{
	global $site;
	$query = http_build_query(["trusted_proxies" => $proxies, "ipv6_prefix" => $prefix]);
	return $site->get("/?$query", ($forwarded === null ? [] : ["X-Forwarded-For" => $forwarded]) + $more, ["REMOTE_ADDR" => $remote])[2];
}

/* No proxy is trusted: headers have no effect. */
same("192.0.2.1", client("192.0.2.1"), "IPv4");
same("192.0.2.1", client("192.0.2.1", "203.0.113.7"), "a header of the client");
same("127.0.0.1", client("127.0.0.1", "203.0.113.7"), "nor from here");

/* IPv6 by its prefix; IPv4 in IPv6 is IPv4. */
same("2001:db8:1:2::/64", client("2001:db8:1:2:3:4:5:6"), "IPv6");
same("2001:db8:1:2::/64", client("2001:DB8:1:2::ffff"), "the same network");
same("2001:db8:1::/48", client("2001:db8:1:2:3:4:5:6", prefix: "48"), "/48");
same("2001:db8:1:200::/55", client("2001:db8:1:2ff:3:4:5:6", prefix: "55"), "/55");
same("2001:db8:1:2:3:4:5:6", client("2001:db8:1:2:3:4:5:6", prefix: "128"), "/128");
same("2001:db8:1:2:3:4:5:6/127", client("2001:db8:1:2:3:4:5:7", prefix: "127"), "/127");
same("8000::/1", client("ffff::1", prefix: "1"), "/1");
same("192.0.2.1", client("::ffff:192.0.2.1"), "IPv4 in IPv6");
same("192.0.2.1", client("::ffff:c000:201"), "the same");
same("192.0.2.1", client("64:ff9b::192.0.2.1"), "IPv4 behind a translator (RFC 6052)");
same("64:ff9b:1::/64", client("64:ff9b:1::192.0.2.1"), "another prefix");
same("fe80::/64", client("fe80::1%eth0"), "with a zone");
same("::/64", client("::1"), "here, by IPv6");

/* A trusted proxy: the last address it names, whatever the client wrote before it. */
$proxies = "10.0.0.0/8, 192.168.1.1\t2001:db8:ffff::/48";
same("203.0.113.7", client("10.1.2.3", "203.0.113.7", $proxies), "one proxy");
same("203.0.113.7", client("10.1.2.3", "127.0.0.1, 198.51.100.1, 203.0.113.7", $proxies), "what the client made up is before it");
same("203.0.113.7", client("192.168.1.1", "198.51.100.1, 203.0.113.7, 10.9.9.9,2001:db8:ffff:1::2", $proxies), "several proxies");
same("203.0.113.7", client("::ffff:10.1.2.3", "::ffff:203.0.113.7", $proxies), "both as IPv6");
same("192.168.1.2", client("192.168.1.2", "203.0.113.7", $proxies), "a neighbour of a proxy is none");
same("11.0.0.1", client("11.0.0.1", "203.0.113.7", $proxies), "nor is the next network");
same("2001:db8:fffe::/64", client("2001:db8:fffe::1", "203.0.113.7", $proxies), "nor its neighbour in IPv6");
same("2001:db8:7:8::/64", client("10.1.2.3", "2001:db8:7:8::9", $proxies), "an IPv6 client");
same("10.1.2.3", client("10.1.2.3", null, $proxies), "without the header it is the proxy");
same("10.1.2.3", client("10.1.2.3", "", $proxies), "and with an empty one");
same("10.0.0.1", client("10.1.2.3", "10.0.0.1, 10.0.0.2", $proxies), "all of them proxies: the first");

/* As proxies write addresses. */
same("203.0.113.7", client("10.1.2.3", "203.0.113.7:51234", $proxies), "with a port");
same("2001:db8:7:8::/64", client("10.1.2.3", "[2001:db8:7:8::9]:51234", $proxies), "IPv6 with a port");
same("2001:db8:7:8::/64", client("10.1.2.3", "[2001:db8:7:8::9]", $proxies), "IPv6 in brackets");
same("203.0.113.7", client("10.1.2.3", " \t 203.0.113.7 \t, ,", $proxies), "with blanks and empty members");

/* An invalid address ends the search: the client is the last valid address. */
foreach (["unknown", "_hidden", "203.0.113", "203.0.113.7.8", "203.0.113.256", "203.0.113.7:", "203.0.113.7:x", "203.0.113.7:123456", "[203.0.113.7]",
	"[2001:db8::1", "2001:db8::1]", "[2001:db8::1]x", "::1::2", "for=203.0.113.7", "\"203.0.113.7\"", str_repeat("1", 5000), "0x7f.1", "1"] as $bad) {
	same("10.1.2.3", client("10.1.2.3", "198.51.100.1, $bad", $proxies), "not past " . substr($bad, 0, 40));
	same("10.5.5.5", client("10.1.2.3", "198.51.100.1, $bad, 10.5.5.5", $proxies), "but up to it: " . substr($bad, 0, 40));
}
/* Other headers are not looked at. */
same("10.1.2.3", client("10.1.2.3", null, $proxies, more: ["Forwarded" => "for=203.0.113.7", "X-Real-IP" => "203.0.113.7", "Client-IP" => "203.0.113.7"]), "others");

/* All addresses are trusted, or one family. */
same("203.0.113.7", client("192.0.2.1", "203.0.113.7", "0.0.0.0/0 ::/0"), "the first of them");
same("192.0.2.1", client("192.0.2.1", "203.0.113.7", "::/0"), "::/0 is not IPv4");
same("203.0.113.7", client("10.1.2.3", "203.0.113.7", "::ffff:10.0.0.0/104"), "a network of IPv4 as IPv6");
same("203.0.113.7", client("10.1.2.3", "203.0.113.7", "10.255.255.255/8"), "a network by an address in it");

/* No address: a socket of this machine. */
same("local", client(""), "none");
same("local", client("unix:"), "as nginx says it");
same("local", FrequencyLimit\Request::clientAddress(), "on the command line");
putenv("REMOTE_ADDR=192.0.2.9");
$_SERVER["REMOTE_ADDR"] = "192.0.2.9";
same("local", FrequencyLimit\Request::clientAddress(), "whose environment is its user's");

done();
?>
--EXPECT--
done
