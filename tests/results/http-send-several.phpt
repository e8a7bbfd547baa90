--TEST--
Several send() of a request add up: the headers list all limits, Retry-After is the longest, one body
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../attribute/request.inc';

const APP = <<<'PHP'
	use FrequencyLimit\{Reason, Result};

	$results = [
		'address' => Result::of(limit: 100, remaining: 40, name: 'address', window: 60, resetAfter: 30),
		'account' => Result::of(limit: 5, remaining: 2, name: 'account', window: 3600),
		'later' => Result::of(limit: 5, remaining: 1, name: 'account', window: 3600),
		'short' => Result::of(Reason::Limited, 9, name: 'short', retryAfter: 3),
		'long' => Result::of(Reason::Limited, 8, name: 'long', retryAfter: 300),
		'down' => Result::of(Reason::StoreUnavailable, 8, retryAfter: 1),
		'free' => (new FrequencyLimit\Limiter('free', FrequencyLimit\Limit::none()))->consume(1),
	];
	str_contains($_SERVER['REQUEST_URI'], 'unbuffered') || ob_start();
	header('RateLimit-Policy: "of the application";q=1');
	$parts = explode(',', explode('?', $_SERVER['REQUEST_URI'])[1]);
	foreach ($parts as $part) {
		match ($part) {
			'legacy', 'unbuffered' => null,
			'remove' => header_remove('RateLimit-Policy'),
			default => $results[$part]->send(legacy: in_array('legacy', $parts)),
		};
	}
	PHP;

foreach (fpm_binary() === null ? [PhpSite::class] : [PhpSite::class, FpmSite::class] as $class) {
	$site = new $class(site_folder(APP));
	$get = function (string $parts) use ($site): array {
		[$status, $headers, $body] = $site->get("/?$parts");
		return [$status, $headers['ratelimit-policy'] ?? null, $headers['ratelimit'] ?? null, $headers['retry-after'] ?? null, json_decode($body, true)['violated-policies'][0] ?? $body];
	};
	same([200, '"address";q=100;w=60', '"address";r=40;t=30', null, ''], $get('address'), "$class: one");
	same([200, '"address";q=100;w=60, "account";q=5;w=3600', '"address";r=40;t=30, "account";r=2;t=3600', null, ''], $get('address,account'), "$class: two");
	same([200, '"account";q=5;w=3600, "address";q=100;w=60', '"account";r=1;t=3600, "address";r=40;t=30', null, ''], $get('account,address,later'), "$class: a later state of a limit");
	same([200, '"account";q=5;w=3600', '"account";r=2;t=3600', null, ''], $get('address,remove,account'), "$class: what the application removed stays removed");
	same([200, '"of the application";q=1', null, null, ''], $get('free'), "$class: no limit");
	same([429, '"short";q=9;w=60, "long";q=8;w=60', '"short";r=0;t=3, "long";r=0;t=300', '300', 'short'], $get('short,long'), "$class: two refusals");
	same(['300', 'long'], array_slice($get('long,short'), 3), "$class: in the other order");
	same([429, '300', 'long'], [($r = $get('long,address'))[0], $r[3], $r[4]], "$class: a refusal and an accepted one");
	same([429, '"short";q=9;w=60', '3', 'short'], [($r = $get('short,long,unbuffered'))[0], $r[1], $r[3], $r[4]], "$class: the first refusal has left");
	same([503, '1'], [($r = $get('address,down'))[0], $r[3]], "$class: no store");
	[, $headers] = $site->get('/?address,legacy');
	same(['100', '40'], [$headers['x-ratelimit-limit'], $headers['x-ratelimit-remaining']], "$class: legacy");
	same('"account";r=2;t=3600, "address";r=40;t=30;ratelimit-limit=100;ratelimit-remaining=40;ratelimit-reset=30', $site->get('/?account,address,legacy')[1]['ratelimit'],
		"$class: the last decision has the words of earlier drafts");
	between(time() + 25, (int) $headers['x-ratelimit-reset'], time() + 31, "$class: a unix time");
	/* The next request of the same worker begins anew. */
	same('"account";q=5;w=3600', $get('account')[1], "$class: another request");
}
done();
?>
--EXPECT--
done
