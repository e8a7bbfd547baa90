--TEST--
ratelimit.php is in the browser's language, or in the one of its switch: English or Chinese
--EXTENSIONS--
ratelimit
session
--FILE--
<?php
require __DIR__ . '/page.inc';

$server = app([], 2, ['RATELIMIT_PASSWORD' => PASSWORD]);
foreach (['' => 'en', 'de' => 'en', 'zh-CN,zh;q=0.9,en;q=0.8' => 'zh-CN', 'en-US,en;q=0.9,zh;q=0.8' => 'en', 'fr,zh-TW;q=0.5' => 'zh-CN', 'zh;q=0.2, en;q=0.7' => 'en'] as $accepted => $language) {
	$page = $server->visitor($accepted === '' ? [] : ['Accept-Language' => $accepted])->get('/ratelimit.php');
	ok(str_contains($page->body, "<html lang=\"$language\">") && str_contains($page->body, $language === 'en' ? 'Log in' : '登录'), "Accept-Language: $accepted");
}
$admin = $server->visitor(['Accept-Language' => 'en']);
log_in($admin);
ok(str_contains($admin->get('/ratelimit.php')->body, 'Running bans'), 'English');
$page = $admin->get('/ratelimit.php?lang=zh');
same([303, '/ratelimit.php'], [$page->status, $page->header('location')], 'the switch');
ok(preg_match('~^ratelimit-language=zh; .*path=/ratelimit\.php; HttpOnly; SameSite=Strict$~', $page->header('set-cookie')) === 1, $page->header('set-cookie'));
$page = $admin->get('/ratelimit.php');
ok(str_contains($page->body, '<html lang="zh-CN">') && str_contains($page->body, '生效中的封禁') && !str_contains($page->body, 'Running bans'), 'Chinese');
ok(str_contains($admin->get('/ratelimit.php?live')->body, '生效中的封禁'), 'also what the script asks for');
same('没有可清除的内容：nobody，1。', button($admin, 'forget', ['name' => 'nobody', 'id' => '1']), 'a message');
same(null, $admin->get('/ratelimit.php?lang=%3Cb%3E')->header('set-cookie'), 'no such language');
$admin->get('/ratelimit.php?lang=en');
ok(str_contains($admin->get('/ratelimit.php')->body, 'Running bans'), 'and back');
same([], $server->complaints(), 'PHP complained of nothing');
done();
?>
--EXPECT--
done
