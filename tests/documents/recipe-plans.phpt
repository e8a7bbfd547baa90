--TEST--
The recipe of plans and budgets never starts a call beyond a tenant's tokens, whatever its parallel calls cost
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/readme.inc';

/** Returns the functions of the recipe, without the calls that follow them. */
function plans_recipe(): string
{
	foreach (php_blocks(readme('docs/recipes.md')) as $code) {
		if (preg_match('/^use .*?^function api\(.*?^}$.*?^function answer\(.*?^}$/ms', $code, $found)) {
			return $found[0];
		}
	}
	throw new Exception('docs/recipes.md has no functions api() and answer()');
}

eval(plans_recipe());

/* 20 users of one tenant at once, each with an estimate of an eighth of the free plan's million. */
for ($round = 0; $round < 5; $round++) {
	$answers = in_processes(20, fn (int $user): string => answer('free', "tenant $round", $user, 125_000, function (): array {
		pause(0.05);
		return ['text', 125_000];
	}));
	same(['429 tokens' => 12, 'text' => 8], (function (array $counts): array {
		ksort($counts);
		return $counts;
	})(array_count_values($answers)), "round $round");
	$peek = fn (array $cost) => api('free')->peek(['tenant' => "tenant $round", 'user' => 99], $cost);
	same(['tokens', 0], [$peek(['requests' => 0, 'tokens' => 1, 'user' => 0])->name, $peek(['requests' => 0, 'tokens' => 1, 'user' => 0])->remaining],
		"round $round: the budget is used up, and not more");
	$requests = $peek(['requests' => 1, 'tokens' => 0, 'user' => 0]);
	ok($requests->remaining >= 60 - 8 - 1, "round $round: the refused calls count no request: $requests->remaining remain");
}
/* The users of the refused calls have all of their requests. */
$full = 0;
for ($user = 0; $user < 20; $user++) {
	$full += api('free')->peek(['tenant' => 'nobody', 'user' => $user], ['requests' => 0, 'tokens' => 0, 'user' => 10])->accepted ? 1 : 0;
}
ok($full >= 20 - 5 * 8, "users with all requests: $full");
same(true, api('free')->peek(['tenant' => 'nobody', 'user' => 'of nobody'], ['requests' => 1, 'tokens' => 1_000_000, 'user' => 10])->accepted, 'a fresh one');

done();
?>
--EXPECT--
done
