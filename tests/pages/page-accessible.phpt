--TEST--
axe-core finds nothing in ratelimit.php: narrow and wide, light and dark, in English and Chinese; no button wraps
--EXTENSIONS--
ratelimit
session
--SKIPIF--
<?php
require __DIR__ . '/../include/browser.inc';
needs_browser();
if (!is_file((string) getenv('AXE_CORE'))) {
	die('skip there is no axe-core: AXE_CORE names no axe.min.js of this folder\'s package.json (scripts/test.sh all installs it, where npm is)');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/browser.inc';
require __DIR__ . '/page.inc';

/** Returns the findings of axe-core, with the rules of WCAG 2.2 and the best practices. */
function findings(Browser $browser): array
{
	if (!$browser->js('return "axe" in window;')) {
		$browser->js(file_get_contents(getenv('AXE_CORE')) . '; window.axe = axe;');
	}
	return $browser->js('return axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]})
		.then(({violations}) => violations.map(({id, nodes}) => `${id}: ${nodes.map(({html, any}) => html.slice(0, 120) + " " + (any[0]?.message ?? "")).join(" | ")}`));');
}

$server = app([], 4, ['RATELIMIT_PASSWORD' => PASSWORD]);
fill_page($server);
$browser = new Browser();
$browser->open($server->url('/ratelimit.php'));
$visit = function (string $what, array $screens) use ($browser): void {
	foreach ($screens as [$scheme, $width]) {
		$browser->scheme($scheme);
		$browser->size($width, 900);
		same([], findings($browser), "$what, $scheme, $width");
		ok(!$browser->overflows(), "$what fits into $width");
	}
};
$few = [['light', 390], ['dark', 1280]];
$visit('the login', $few);
same(1, $browser->count('.box'), 'one box');
same(['0px', 'rgba(0, 0, 0, 0)'], $browser->js('const s = getComputedStyle(document.querySelector("main.login")); return [s.borderTopWidth, s.backgroundColor];'), 'around it there is none');
$browser->type('[name=password]', PASSWORD);
$browser->follow('button.main');
foreach ([['like', '7', '10/10s'], ['comment', '7', '10/30s']] as [$name, $id, $limits]) {
	$browser->type('.look [name=name]', $name);
	$browser->type('.look [name=id]', $id);
	$browser->type('.look [name=limits]', $limits);
	$browser->follow('.look button.main');
}
$browser->click('.look summary');
$browser->click('.numbers summary');
$visit('the page', [...$few, ['dark', 390], ['light', 1280]]);
same(0, $browser->count('select'), 'no select: the kind is a box to tick');
$browser->follow('a[lang=zh]');
$visit('the page in Chinese', $few);

/* The application. */
$browser->open($server->url('/?user=7'));
$visit('the application', $few);

/* The buttons of a row stand in one line, and can be hit. */
foreach (['en', 'zh'] as $language) {
	$browser->open($server->url("/ratelimit.php?lang=$language"));
	$browser->size(1280, 900);
	same([], $browser->js('return [...document.querySelectorAll(".do form")].filter((form) =>
		new Set([...form.querySelectorAll("button, a")].map((e) => Math.round(e.getBoundingClientRect().top))).size > 1).length > 0 ? ["wrapped"] : [];'), "$language: no button wraps");
	foreach ([390, 1280] as $width) {
		$browser->size($width, 900);
		same([], $browser->small(), "$language, $width: 24 pixels");
	}
}

/* The keyboard reaches every button, in the order of the page. */
$order = $browser->js('const tabs = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), summary")].filter((e) => e.checkVisibility());
	return tabs.every((e) => e.tabIndex === 0);');
same(true, $order, 'each control is in the order of the keyboard');
same([], $browser->complaints(), 'the policy had nothing to refuse');
done();
?>
--EXPECT--
done
