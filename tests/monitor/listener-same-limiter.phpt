--TEST--
A listener that asks the same limiter changes no answer and no count, and may free the identities of consumeMany()
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../named-limiters/named.inc';
require __DIR__ . '/../monitor/counters.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Monitor, Period, Result};

Clock::freeze(1_900_000_000);
limiters_file("[exempt, quiet]\nexempt = bob\na = fixed:10/1h,ban=60s\n[exempt, heard]\nexempt = bob\na = fixed:10/1h,ban=60s\n");

/** Asks a limiter in every way, with other values in each part of the question. Two of the calls are decisions. */
function ask_everything(Limiter $limiter): void
{
	$limiter->consume('inside', 2, leave: 1);
	$limiter->consume('inside', 2, atLeast: 1);
	$limiter->credit('inside', 2);
	$limiter->peek('inside', 0);
	$limiter->unban('inside');
	$limiter->reset('inside');
	$limiter->ban('by hand', 1000);
}

function facts(Result $result): array
{
	return [$result->accepted, $result->reason->value, $result->limit, $result->remaining, $result->granted, $result->resetAfter, $result->name,
		$result->shadow, $result->headers()];
}

/** Every answer of some calls. */
function answers(Limiter $limiter, bool $books): array
{
	$answers = [$limiter->consume('x', 3), $limiter->allow('x', 5), $limiter->consume('x', 5), $limiter->consume('x'), $limiter->allow('x')];
	if ($books) {
		$answers[] = $limiter->reserve('y', 1_900_003_600, 2);
	}
	$answers[] = $limiter->acquire('y', 2)->result;
	$answers[] = $limiter->acquire('x', 2)->result;
	array_push($answers, ...$limiter->consumeMany(['x', 'bob', 17, 'z', 'bob', 'x', 'v'], 4));
	array_push($answers, ...$limiter->consumeMany(['x', 'bob', 17, 'z', 'bob', 'x', 'v'], 4));
	array_push($answers, ...$limiter->consumeMany(['x', 'bob', 17, 'z', 'bob', 'x', 'v'], 4));
	return array_map(fn (Result|bool $answer): array|bool => is_bool($answer) ? $answer : facts($answer), $answers);
}

/** The identities of a limiter's running bans. */
function banned(string $name): array
{
	$banned = array_column(array_filter(Monitor::bans(), fn (array $row): bool => $row['name'] === $name), 'identity');
	sort($banned, SORT_STRING);
	return array_values(array_diff($banned, ['by hand']));
}

$limiters = [
	'one limit' => fn (string $name): Limiter => new Limiter($name, Limit::fixedWindow(10, 3600)->ban(60)),
	'several' => fn (string $name): Limiter => new Limiter($name, ['day' => Limit::calendar(10, Period::Day, 'UTC')->ban(60), 'log' => Limit::slidingLog(500, 60)]),
	'shadow' => fn (string $name): Limiter => new Limiter($name, [Limit::fixedWindow(10, 3600)->named('a')->ban(60), Limit::fixedWindow(6, 60)->named('small')->shadow()]),
	'exempt' => fn (string $name): Limiter => Limiter::named($name),
];
foreach ($limiters as $what => $make) {
	$quiet = $make("$what, quiet");
	$expected = answers($quiet, $what === 'several');

	$limiter = $make("$what, heard");
	$heard = [];
	Monitor::listen(function (string $name, int|string $identity, Result $result) use (&$heard, $limiter): void {
		$heard[] = [$name, $identity, $result->reason->value, $result->limit];
		ask_everything($limiter);
	});
	$got = answers($limiter, $what === 'several');
	Monitor::listen(null);
	foreach ($expected as $i => $answer) {
		same(str_replace('quiet', 'heard', json_encode($answer)), json_encode($got[$i]), "$what: answer $i");
	}

	$counts = counts("$what, heard");
	$counts['decisions'] -= 2 * count($heard);
	same(counts("$what, quiet"), $counts, "$what: the counts");
	same(counts("$what, quiet")['decisions'], count($heard), "$what: the listener gets each decision");
	same(["$what, heard"], array_values(array_unique(array_column($heard, 0))), "$what: its name");
	same(banned("$what, quiet"), banned("$what, heard"), "$what: the bans");
	foreach ([['x', 'limited'], [17, 'limited'], ['x', 'banned']] as [$identity, $reason]) {
		ok(array_filter($heard, fn (array $one): bool => $one[1] === $identity && $one[2] !== 'accepted') !== [], "$what: a refusal of $identity");
	}
}

/* Identities that are references, in memory of their own. */
$limiter = new Limiter('references', Limit::fixedWindow(1, 60));
$two = new Limiter('two', [Limit::fixedWindow(1, 60)->by('a'), Limit::fixedWindow(1, 60)->by('b')]);
$originals = $ids = $heard = [];
for ($i = 0; $i < 20; $i++) {
	$originals[] = $variables[$i] = bin2hex(random_bytes(40));
	$originals[$i] = substr($variables[$i], 0, 40) . substr($variables[$i], 40);
	$ids["key $i"] = &$variables[$i];
}
Monitor::listen(function (string $name, int|string $identity) use (&$variables, &$heard): void {
	$heard[] = $identity;
	foreach ($variables as &$variable) {
		$variable = str_repeat('#', 80);
	}
});
$results = $limiter->consumeMany($ids);
same($originals, $heard, 'each identity is the one that was given');
same(array_keys($ids), array_keys($results), 'so is its key');
$given = ['a' => &$variables[0], 'b' => &$variables[1]];
$two->consume($given);
$two->consume($given);
Monitor::listen(null);
done();
?>
--EXPECT--
done
