--TEST--
Illegal arguments throw an Exception that begins with 非法参数, and count nothing
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
/* The article's controllers catch \Exception and show its message. */

require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	$shown = function (mixed ...$arguments): string {
		try {
			return var_export(FrequencyLimit::doHandle(...$arguments), true);
		} catch (\Exception $e) {
			return $e->getMessage();
		}
	};
	$illegal = [
		'$action' => ['', 1, 30, 10],
		'$userId' => ['comment', 0, 30, 10],
		'$time' => ['comment', 1, 0, 10],
		'$number' => ['comment', 1, 30, 0],
		'$expire' => ['comment', 1, 30, 10, ['type' => 3, 'ttl' => 60]],
	];
	foreach ($illegal as $name => $arguments) {
		$message = $shown(...$arguments);
		ok(str_starts_with($message, '非法参数'), "$name: the message begins with 非法参数: $message");
		ok(str_contains($message, $name), "$name is named: $message");
	}

	/* None of them counted: the whole limit remains. */
	same(9, FrequencyLimit::check('comment', 1, 30, 10)->remaining, 'remaining after five illegal calls and one');
	same('非法参数', substr($shown('comment', 1, 30, -1), 0, strlen('非法参数')), 'an illegal call in a running window');
	same(8, FrequencyLimit::check('comment', 1, 30, 10)->remaining, 'changes nothing');
}

scenario(each_store());
done();
?>
--EXPECT--
done
