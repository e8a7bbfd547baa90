<?php

/*
 * Takes the pictures of docs/: the application and ratelimit.php in a headless Chromium, on a server of their own.
 *
 *     php -d extension=…/ratelimit.so docs/screenshots.php [folder]
 *
 * Requires chromium, chromium-driver, and a C compiler for the simulated clock.
 */

declare(strict_types=1);

require __DIR__ . '/../tests/include/browser.inc';
require __DIR__ . '/../tests/include/simclock.inc';
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
$click('#window [name=times]', '#log [name=times]', '#log .main', '#search [name=times]');
$click('#comment .main', '#comment .main', '#comment .main', '#comment .main');
$browser->size(1240, (int) $browser->js('return Math.ceil(document.querySelector("main").getBoundingClientRect().bottom + 20);'));
pause(0.5);
$save('app', $browser);

// ratelimit.php, after an hour of traffic on a simulated clock: an API with a shadow limit, likes, and guesses at a login from
// the 43rd minute on. The router makes the calls that it is sent.
$router = temp_folder() . '/router.php';
file_put_contents($router, '<?php
    if ($_SERVER["REQUEST_METHOD"] !== "POST" || !isset($_POST["calls"])) {
        return require ' . var_export(realpath(__DIR__ . '/../ratelimit.php'), true) . ';
    }
    foreach (explode(" ", $_POST["calls"]) as $call) {
        [$name, $id] = explode("/", $call);
        $name === "like" ? FrequencyLimit::doHandle($name, (int) $id, 10, 10, ["type" => 1, "ttl" => 3600]) : FrequencyLimit\Limiter::named($name)->allow($id);
    }');
$limiters = temp_folder() . '/limiters.ini';
file_put_contents($limiters, "[login]\naccount = log:5/15m,ban=1h\n[api]\nminute = bucket:20/1m\ntried = log:15/1m,shadow\n");
$clock = new SimClock((time() - 3600) * 1_000_000);
$server = new WebServer([$router], ['ratelimit.limiters' => $limiters], 2, ['RATELIMIT_PASSWORD' => PASSWORD] + $clock->environment());
$visitor = $server->visitor();
mt_srand(7);
for ($minute = 0; $minute < 60; $minute++) {
    $calls = [];
    for ($i = (int) (160 + 60 * sin($minute / 6)); $i > 0; $i--) {
        $calls[] = 'api/key-' . (mt_rand(0, 9) < 7 ? mt_rand(1, 60) : mt_rand(1, 4));
        $calls[] = 'like/' . mt_rand(1, 400);
    }
    for ($i = $minute < 43 ? 0 : mt_rand(60, 90); $i > 0; $i--) {
        $calls[] = 'login/' . ['alice', 'bob', 'root', 'root', 'admin', 'admin', 'admin'][mt_rand(0, 6)];
    }
    for ($i = $minute % 20 === 19 ? 14 : 0; $i > 0; $i--) {
        $calls[] = 'like/7';
    }
    shuffle($calls);
    foreach (array_chunk($calls, (int) ceil(count($calls) / 12)) as $some) {
        $visitor->post('/', ['calls' => implode(' ', $some)]);
        $clock->advance(5_000_000);
    }
}
$browser->size(1240, 900);
$browser->open($server->url());
$browser->type('[name=password]', PASSWORD);
$browser->follow('button.main');
$browser->type('.look [name=name]', 'api');
$browser->type('.look [name=id]', 'key-1');
$browser->click('.look [name=kind]');
$browser->follow('.look button.main');
$browser->size(1240, (int) $browser->js('return Math.ceil(document.querySelector(".bans").getBoundingClientRect().bottom + 16);'));
$save('ratelimit-page', $browser);
