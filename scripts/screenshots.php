<?php

/*
 * Takes the pictures of docs/: the application and ratelimit.php in a headless Chromium, on a server of their own.
 *
 *     php -d extension=…/ratelimit.so scripts/screenshots.php [folder]
 *
 * Takes a minute, because the plots need data. Requires chromium, chromium-driver and a Chinese font.
 */

declare(strict_types=1);

require __DIR__ . '/../tests/include/browser.inc';
require __DIR__ . '/../tests/pages/page.inc';

$folder = $argv[1] ?? __DIR__ . '/../docs';
$save = static function (string $name, Browser $browser) use ($folder): void {
    $png = $browser->screenshot();
    file_put_contents("$folder/$name.png", $png);
    printf("%s/%s.png: %d kB\n", $folder, $name, intdiv(strlen($png), 1024));
};
$server = app([], 4, ['RATELIMIT_PASSWORD' => PASSWORD]);
$browser = new Browser(1240, 980);
$click = static function (string ...$selectors) use ($browser): void {
    foreach ($selectors as $selector) {
        $browser->click($selector);
        pause(0.3);
    }
};

// The application: some counts, an exhausted limit, a ban, pending messages.
$eight = $server->visitor(['Cookie' => 'user=8']);
foreach (['comment', 'comment', 'upload', 'visit'] as $action) {
    $eight->post("/api/$action");
}
$browser->open($server->url());
$click('#schedule .press button', '#schedule .press button', '#schedule .next button');
$click('#upload [name=times]', '#upload .main', '#visit [name=times]', '#visit .main', '#conversation .main', '#conversation .main');
$click('#like [name=times]', '#like .main');
$click('#comment .main', '#comment .main', '#comment .main', '#comment .main');
$browser->size(1240, (int) $browser->js('return Math.ceil(document.querySelector("main").getBoundingClientRect().bottom + 20);'));
pause(0.5);
$save('app', $browser);

// ratelimit.php, after some traffic.
$browser->size(1240, 850);
$browser->open($server->url('/ratelimit.php'));
$browser->type('[name=password]', PASSWORD);
$browser->follow('button.main');
$talk = 'calendar:10/hour@Asia/Shanghai,name=hour calendar:30/day@Asia/Shanghai,name=day';
foreach ([['conversation', $talk], ['comment', '10/30s'], ['like', '10/10s']] as [$name, $limits]) {
    $browser->type('.look [name=name]', $name);
    $browser->type('.look [name=id]', '7');
    $browser->type('.look [name=limits]', $limits);
    $browser->follow('.look button.main');
}
$visitors = array_map(static fn (int $user): Visitor => $server->visitor(['Cookie' => "user=$user"]), [7, 8]);
for ($start = stopwatch(); ($t = stopwatch() - $start) < 58;) {
    $visitors[0]->post('/api/comment');
    if (fmod($t, 20) > 6) {
        $visitors[1]->post('/api/visit');
    }
    pause(0.04 + 0.05 * (1 + sin($t / 5)));
}
pause(1);
$save('ratelimit-page', $browser);
