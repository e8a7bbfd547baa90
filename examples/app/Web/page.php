<?php

declare(strict_types=1);

/*
 * The page. It works without JavaScript: every button belongs to a form. app.js avoids the reload of the page, and counts
 * the seconds down.
 *
 * @var App\Web\Texts $text
 * @var int $user
 * @var array<string, App\Web\Action> $actions
 * @var App\Web\Card $card
 * @var App\Web\Schedule $schedule
 * @var array<string, mixed> $outcome of the form that was sent, if it was refused
 * @var App\Web\Demo|null $demo
 */

use App\Web\Texts;
use App\Web\Visitor;

$e = static fn (string|int|float $value): string => htmlspecialchars((string) $value, ENT_QUOTES | ENT_SUBSTITUTE);
$why = static fn (string $action): string => ($outcome['action'] ?? null) === $action ? (string) $outcome['why'] : '';
$store = str_starts_with((string) ini_get('ratelimit.store'), 'shm:') ? 'store.shm' : 'store.redis';
$spoken = ['accepted', 'refused', 'worker', 'workers', 'away', 'user', 'times', 'local', 'redis.up', 'redis.down', 'redis.back'];
$facts = $demo?->facts();
?>
<!DOCTYPE html>
<html lang="<?= $text->language === 'zh' ? 'zh-CN' : 'en' ?>">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><?= $e($text('title')) ?></title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/app.css">
<script src="/app.js" defer></script>
</head>
<body data-user="<?= $user ?>" data-texts="<?= $e(json_encode(array_combine($spoken, array_map($text(...), $spoken)), JSON_UNESCAPED_UNICODE)) ?>">
<header class="top">
<nav class="choices">
<span class="brand">ratelimit</span>
<span class="choice" role="group" aria-label="<?= $e($text('language')) ?>">
<a href="/?lang=en" lang="en" hreflang="en"<?= $text->language === 'en' ? ' aria-current="true"' : '' ?>>English</a>
<a href="/?lang=zh" lang="zh-CN" hreflang="zh"<?= $text->language === 'zh' ? ' aria-current="true"' : '' ?>>中文</a>
</span>
<span class="choice" role="group" aria-label="<?= $e($text('act.as')) ?>">
<span class="of"><?= $e($text('act.as')) ?></span>
<?php foreach (Visitor::USERS as $each): ?>
<a href="/?user=<?= $each ?>"<?= $each === $user ? ' aria-current="true"' : '' ?>><?= $e($text('user', user: $each)) ?></a>
<?php endforeach ?>
</span>
<?php if ($demo !== null): ?>
<span class="choice" role="group" aria-label="<?= $e($text('machines')) ?>">
<span class="of"><?= $e($text('machines')) ?></span>
<?php foreach ($demo->machines as $name => $address): ?>
<a href="<?= $e($address) ?>/"<?= $name === $demo->machine ? ' aria-current="true"' : '' ?>><?= $e($text('machine', name: $name)) ?></a>
<?php endforeach ?>
</span>
<?php endif ?>
</nav>
<h1><?= $e($text('headline')) ?></h1>
<p class="lead"><?= $e($text('lead', store: $text($store))) ?></p>
<?php if ($demo !== null): ?>
<form class="redis" method="post" action="/redis"<?= $facts['isStopped'] || $facts['isAway'] ? ' data-away' : '' ?>>
<p role="status"><?= $e($text($facts['isStopped'] ? 'redis.down' : ($facts['isAway'] ? 'redis.back' : 'redis.up'))) ?></p>
<button name="want" value="stop"<?= $facts['isStopped'] ? ' hidden' : '' ?>><?= $e($text('redis.stop')) ?></button>
<button name="want" value="start"<?= $facts['isStopped'] ? '' : ' hidden' ?>><?= $e($text('redis.start')) ?></button>
</form>
<?php endif ?>
</header>

<main>
<?php foreach ($actions as $name => $action): ?>
<?php $facts = $card->of($action) ?>
<article class="card" id="<?= $name ?>" data-state="<?= $facts['state'] ?>"<?= $why($name) === '' ? '' : ' data-refused' ?>>
<header>
<h2><?= $e($text($name)) ?></h2>
<form method="post" action="/forget"><button class="quiet" name="action" value="<?= $name ?>" aria-label="<?= $e($text('forget.label', action: $text($name))) ?>"><?= $e($text('forget')) ?></button></form>
</header>
<p class="rule"><?= $e($text("$name.rule", ...$action->numbers)) ?></p>
<p class="count"><b class="left"><?= $facts['left'] ?></b> <span class="said"><?= $e($facts['said']) ?></span></p>
<p class="permits" aria-hidden="true"><?php for ($i = 0; $i < $facts['limit']; $i++): ?><i<?= $i < $facts['left'] ? ' class="free"' : '' ?>></i><?php endfor ?></p>
<p class="when"><span class="word"><?= $e($facts['when']) ?></span> <time class="clock"<?= $facts['seconds'] === null ? '' : ' data-seconds="' . $e($facts['seconds']) . '"' ?>><?= $facts['seconds'] === null ? '' : Texts::duration($facts['seconds']) ?></time></p>
<form class="press" method="post" action="/<?= $name ?>">
<button class="main"><?= $e($text("$name.do")) ?></button>
<button name="times" value="<?= $action->burst ?>" aria-label="<?= $e($text('times.label', action: $text("$name.do"), times: $action->burst)) ?>"><?= $e($text('times', times: $action->burst)) ?></button>
</form>
<p class="why" role="status"><?= $e($why($name)) ?></p>
<p class="others"><?= $e($facts['others']) ?></p>
<pre><code><?= $e(($action->code)($user)) ?></code></pre>
</article>
<?php endforeach ?>

<article class="card" id="schedule" data-state="open"<?= $why('schedule') === '' ? '' : ' data-refused' ?>>
<?php $facts = $schedule->card() ?>
<header>
<h2><?= $e($text('schedule')) ?></h2>
<form method="post" action="/forget"><button class="quiet" name="action" value="schedule" aria-label="<?= $e($text('forget.label', action: $text('schedule'))) ?>"><?= $e($text('forget')) ?></button></form>
</header>
<p class="rule"><?= $e($schedule->rule()) ?></p>
<form class="press moment" method="post" action="/schedule">
<label><span><?= $e($text('schedule.at')) ?> <small><?= $e($facts['zone']) ?></small></span>
<input type="datetime-local" name="at" step="1" required value="<?= $e($outcome['next'] ?? $schedule->suggestion()) ?>"></label>
<button class="main"><?= $e($text('schedule.do')) ?></button>
</form>
<p class="why" role="status"><?= $e($why('schedule')) ?></p>
<p class="next"><span><?= $e($outcome['nextSaid'] ?? '') ?></span> <button class="quiet" type="button" hidden><?= $e($text('schedule.take')) ?></button></p>
<form class="booked" method="post" action="/withdraw" aria-label="<?= $e($text('schedule.booked')) ?>">
<p class="none"<?= $facts['booked'] === [] ? '' : ' hidden' ?>><?= $e($text('schedule.none')) ?></p>
<ul>
<?php foreach ($facts['booked'] as $booking): ?>
<li><span><?= $e($booking['said']) ?></span> <button class="quiet" name="at" value="<?= $booking['at'] ?>"><?= $e($text('schedule.withdraw')) ?></button></li>
<?php endforeach ?>
</ul>
<template><li><span></span> <button class="quiet" name="at"><?= $e($text('schedule.withdraw')) ?></button></li></template>
</form>
<pre><code><?= $e($schedule->code()) ?></code></pre>
</article>

<section class="calls" aria-label="<?= $e($text('calls')) ?>">
<h2><?= $e($text('calls')) ?> <span class="workers"></span></h2>
<p class="none"><?= $e($text('calls.none')) ?></p>
<ol tabindex="0" aria-label="<?= $e($text('calls')) ?>"></ol>
</section>
</main>

<footer>
<p><?= $e($text('foot')) ?> <code>curl -i -d '' http://<?= $e($_SERVER['HTTP_HOST'] ?? '127.0.0.1') ?>/api/comment</code></p>
<p><a href="/ratelimit.php"><?= $e($text('operator')) ?></a></p>
</footer>
</body>
</html>
