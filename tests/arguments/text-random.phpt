--TEST--
Random limits come back equal from text, var_export() and serialize(), limiters from texts; changed bytes never crash
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Period;

$seed = (int) (getenv('SEED') ?: random_int(1, PHP_INT_MAX));
mt_srand($seed);

/** A number up to $max: small and large ones are equally likely. */
function number(int $max): int
{
	return mt_rand(1, (int) min($max, 10 ** mt_rand(1, 9)));
}

function seconds(): int|float
{
	return mt_rand(0, 1) ? number(315_360_000) : max(0.001, number(315_360_000) / [1000, 1_000_000][mt_rand(0, 1)]);
}

function zone(): ?string
{
	return [null, 'UTC', 'Asia/Shanghai', 'America/Argentina/Buenos_Aires', '+08:00', 'CET'][mt_rand(0, 5)];
}

function name(): string
{
	return implode(array_map(fn () => chr(mt_rand(0x20, 0x7e)), range(1, mt_rand(1, 64))));
}

function limit(): Limit
{
	$period = Period::cases()[mt_rand(0, 6)];
	$interval = new DateInterval(["P" . mt_rand(1, 120) . 'M', 'P' . mt_rand(1, 3650) . 'D', 'PT' . mt_rand(60, 315_360_000) . 'S'][mt_rand(0, 2)]);
	$limit = match (mt_rand(0, 7)) {
		0, 1 => Limit::fixedWindow(number(16_777_215), seconds()),
		2 => Limit::slidingLog(number(10_000), seconds()),
		3 => Limit::slidingWindow(number(16_777_215), seconds()),
		4 => Limit::calendar(number(16_777_215), $period, zone(), $period === Period::Week ? mt_rand(1, 7) : 1),
		7 => Limit::every(number(16_777_215), $interval, new DateTimeImmutable('@' . mt_rand(0, 2 ** mt_rand(1, 37))), zone() ?? 'Asia/Tokyo'),
		5 => Limit::tokenBucket(number(16_777_215), mt_rand(1, 10), mt_rand(0, 1) ? null : number(1_000_000)),
		6 => Limit::concurrent(number(10_000), seconds()),
	};
	if ($limit->algorithm !== 'concurrent' && mt_rand(0, 1)) {
		$moment = new DateTimeImmutable('@' . mt_rand(0, 2_000_000_000) . '.' . mt_rand(0, 999_999));
		$limit = mt_rand(0, 1) ? $limit->ban(seconds()) : $limit->ban(mt_rand(0, 1) ? Period::cases()[mt_rand(0, 6)] : $moment);
		if (!mt_rand(0, 2)) {
			$times = array_map(fn () => seconds(), range(1, mt_rand(1, 16)));
			sort($times);
			$limit = $limit->ban($times, min(315_360_000, end($times) + number(1000)));
		}
	}
	$limit = mt_rand(0, 3) ? $limit : $limit->leased();
	$limit = mt_rand(0, 3) ? $limit : $limit->shadow();
	$limit = mt_rand(0, 3) || $limit->algorithm === 'concurrent' ? $limit : $limit->unit(name());
	return mt_rand(0, 1) ? $limit->named(name()) : $limit;
}

date_default_timezone_set('Europe/Paris');
for ($i = 0; $i < 2000; $i++) {
	$limit = limit();
	$text = (string) $limit;
	$again = Limit::parse($text);
	$whole = (string) $again === $text && $again == $limit && get_object_vars($again) == get_object_vars($limit)
		&& unserialize(serialize($limit)) == $limit && eval('return ' . var_export($limit, true) . ';') == $limit;
	ok($whole && preg_match('/^[\x21-\x7e]+$/D', $text) === 1, "seed $seed: $text");
	/* As the value of an INI file. */
	same($text, parse_ini_string("limit = $text", false, INI_SCANNER_RAW)['limit'] ?? null, "seed $seed: in an INI file");
	/* A changed byte makes a mistake, or another limit with a text of its own. */
	$changed = $text;
	$changed[mt_rand(0, strlen($changed) - 1)] = chr(mt_rand(0, 255));
	try {
		$other = Limit::parse($changed);
		ok(Limit::parse((string) $other) == $other, "seed $seed: changed: " . json_encode($changed, JSON_INVALID_UTF8_SUBSTITUTE));
	} catch (InvalidArgument) {
	}
}
for ($i = 0; $i < 200; $i++) {
	$named = [];
	foreach (range(1, mt_rand(1, 8)) as $n) {
		$limit = limit();
		$named[] = $limit->named("$n-" . substr($limit->name ?? '', 0, 50));
	}
	if ($named !== []) {
		$limiter = new Limiter(random_bytes(mt_rand(1, 255)), $named);
		ok(new Limiter($limiter->name, array_map(fn (Limit $limit): Limit => Limit::parse((string) $limit), $limiter->limits)) == $limiter, "seed $seed: a limiter of " . implode(' ', $named));
	}
}
done();
?>
--EXPECT--
done
