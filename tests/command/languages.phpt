--TEST--
bin/ratelimit and ratelimit.php have each text in English and Chinese; the locale selects the command's language
--EXTENSIONS--
ratelimit
tokenizer
--FILE--
<?php
require __DIR__ . '/command.inc';

/** Returns the texts of all calls of t() in a PHP file. A text may be literals that are joined by dots. */
function texts_of(string $source): array
{
	$tokens = array_values(array_filter(token_get_all($source), fn ($token) => !is_array($token) || !in_array($token[0], [T_WHITESPACE, T_COMMENT, T_DOC_COMMENT], true)));
	$texts = [];
	foreach ($tokens as $i => $token) {
		if (!is_array($token) || $token[0] !== T_STRING || $token[1] !== 't' || $tokens[$i + 1] !== '(' || is_array($tokens[$i - 1]) && in_array($tokens[$i - 1][0], [T_FUNCTION, T_OBJECT_OPERATOR], true)) {
			continue;
		}
		for ($text = '', $j = $i + 2; is_array($tokens[$j]) && $tokens[$j][0] === T_CONSTANT_ENCAPSED_STRING; $j += 2) {
			$text .= eval("return {$tokens[$j][1]};");
			if ($tokens[$j + 1] !== '.') {
				break;
			}
		}
		ok($text !== '', "t() in line $token[2] has no literal");
		$texts[$text] = true;
	}
	return $texts;
}

/** Returns a table of Chinese texts of a PHP file. */
function table_of(string $source, string $name): array
{
	preg_match("/^const $name = (\\[.*?\\n\\]);/ms", $source, $found);
	return eval("return $found[1];");
}

$root = __DIR__ . '/../..';
$page = file_get_contents("$root/ratelimit.php");
$command = file_get_contents("$root/bin/ratelimit");
[$shared, $own] = preg_split('~^(?=// ---- Access to the page)~m', $page);
foreach (['shared' => [texts_of($shared), table_of($page, 'CHINESE')],
	'page' => [texts_of("<?php $own"), table_of($page, 'PAGE_CHINESE')],
	'command' => [texts_of($command), table_of($command, 'COMMAND_CHINESE')]] as $name => [$texts, $chinese]) {
	ok(count($texts) > 1, "$name has texts");
	same([], array_keys(array_diff_key($texts, $chinese)), "$name: in English alone");
	same([], array_keys(array_diff_key($chinese, $texts)), "$name: used nowhere");
	foreach ($chinese as $english => $text) {
		$places = function (string $text): array {
			preg_match_all('/\{\w+\}/', $text, $found);
			sort($found[0]);
			return $found[0];
		};
		same($places($english), $places($text), "$name: the places of \"$english\"");
	}
}

/* By locale. */
foreach ([['zh_CN.UTF-8', '', '没有命令'], ['zh_TW', '', '没有命令'], ['C', 'zh_CN.UTF-8', 'there is no command'], ['', 'zh', '没有命令'], ['', 'de_DE.UTF-8', 'there is no command'], ['', '', 'there is no command']] as [$all, $lang, $text]) {
	putenv("LC_ALL=$all");
	putenv('LC_MESSAGES=');
	putenv("LANG=$lang");
	[$exit, , $errors] = ratelimit(['dance']);
	ok($exit === 2 && str_contains($errors, $text), "LC_ALL=$all LANG=$lang: $errors");
}
putenv('LC_ALL=zh_CN.UTF-8');
ok(str_contains(ratelimit(['--help'])[1], '退出状态'), 'the help');
same([0, "正常：存储 shm:，共享内存段 memory\n", ''], ratelimit(['check']), 'check');
same(0, ratelimit(['stats', '--json', '--here'])[0], 'stats');
ok(json_decode(ratelimit(['stats', '--json', '--here'])[1], true)['segment'] === 'memory', 'JSON has no language');
/* Chinese characters take two columns. */
[, $out] = ratelimit(['watch', '--count=1', '--interval=50ms', '--here']);
foreach (explode("\n", trim($out)) as $line) {
	same(79, strlen($line) - intdiv(strlen($line) - preg_match_all('/./u', $line), 2), "79 columns: $line");
}
done();
?>
--EXPECT--
done
