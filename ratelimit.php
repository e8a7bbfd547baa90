<?php

/*
 * ratelimit.php: a web page that shows the decisions of the rate limiter over time and the state of an identity. Its
 * buttons ban, lift a ban and forget counts.
 *
 * It is one file. Serve it from the FPM master (or other PHP) whose counts it should show. It does nothing without a
 * password: RATELIMIT_PASSWORD in the environment (php-fpm: env[RATELIMIT_PASSWORD] = … in the pool; nginx:
 * fastcgi_param), or in a PHP file of your own:
 *
 *     const RATELIMIT_PASSWORD = '$2y$10$…';     // a hash by password_hash(), or the password itself
 *     require '/srv/ratelimit/ratelimit.php';
 *
 * To try it: RATELIMIT_PASSWORD=secret php -S 127.0.0.1:8080 ratelimit.php
 *
 * bin/ratelimit does the same in a terminal.
 */

declare(strict_types=1);

namespace FrequencyLimit\Page;

use FrequencyLimit;
use FrequencyLimit\AccessLimit;
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Reason;
use FrequencyLimit\Result;
use FrequencyLimit\StoreException;

// ---- Limits as text, and the state of an identity: bin/ratelimit uses this section, too. ----

/** Writes messages of exceptions for users of the page and the command. */
final class Message
{
    /** Returns the message without the prefix 非法参数 of bad arguments. */
    public static function of(\Throwable $e): string
    {
        return preg_replace('/^非法参数: /', '', $e->getMessage());
    }
}

/** The limit of doHandle() and check(), which is not a Limit object. */
final class PlainLimit
{
    public function __construct(public readonly int $seconds, public readonly int $number)
    {
    }
}

/** Reads limits and durations by the extension's grammar, and doHandle()'s limit: "10/30s". */
final class LimitText
{
    public const GRAMMAR = <<<'TEXT'
        10/30s                           doHandle() and check(): 10 in 30 seconds
        fixed:10/30s                     Limit::fixedWindow(10, 30)
        log:5/60s                        Limit::slidingLog(5, 60)
        window:1000000/60s               Limit::slidingWindow(1000000, 60)
        calendar:10/hour@Asia/Shanghai   Limit::calendar(10, Period::Hour, 'Asia/Shanghai')
        bucket:10/1s,burst=50            Limit::tokenBucket(10, 1, burst: 50)
        concurrent:2/600s                Limit::concurrent(2, 600)
        …,ban=1h  …,ban=day              ->ban(3600), ->banUntil(Period::Day)
        …,lease=100  …,name=minute       ->leased(100), ->named('minute')
        Durations: 500ms 30s 5m 2h 1d 1w. Periods: minute hour day week month.
        TEXT;

    /** @throws InvalidArgument that has the text and the mistake */
    public static function parse(string $text): Limit|PlainLimit
    {
        if (preg_match('/^[^,]*:/', $text)) {
            return Limit::parse($text);
        }
        try {
            $limit = Limit::parse("fixed:$text");
        } catch (InvalidArgument $e) {
            throw self::wrong($text, self::reason($e));
        }
        if (!is_int($limit->seconds) || $limit != Limit::fixedWindow($limit->limit, $limit->seconds)) {
            throw self::wrong($text, 'doHandle() takes whole seconds and no options; fixed:, log: and the others do');
        }
        return new PlainLimit($limit->seconds, $limit->limit);
    }

    /**
     * Returns the texts of a list that blanks separate. A blank within a limit separates a list of its own.
     *
     * @return list<string>
     */
    public static function split(string $list): array
    {
        return preg_split('~\s+(?=([a-z]+:)?[^\s/]*/)~', trim($list), -1, PREG_SPLIT_NO_EMPTY);
    }

    /** Returns a duration in seconds. @throws InvalidArgument */
    public static function duration(string $text): int|float
    {
        try {
            return Limit::parse('fixed:1/' . strtr($text, ',@', ';;'))->seconds;
        } catch (InvalidArgument $e) {
            throw new InvalidArgument(self::reason($e));
        }
    }

    private static function reason(InvalidArgument $e): string
    {
        return preg_replace('/^.*" is not a limit: /s', '', $e->getMessage());
    }

    private static function wrong(string $text, string $why): InvalidArgument
    {
        return new InvalidArgument("\"$text\" is not a limit: $why");
    }
}

/** The state of one identity: a counter of doHandle() and check(), or a Limiter's state. */
final class Counter
{
    /** Without limits, only forget() and unban() make sense. */
    private function __construct(
        private readonly string $name,
        private readonly string $id,
        private readonly ?PlainLimit $plain,
        private readonly ?Limiter $limiter,
    ) {
    }

    /**
     * @param list<string> $limits texts for LimitText: one of doHandle(), or those of a Limiter
     * @throws InvalidArgument
     */
    public static function of(string $name, string $id, array $limits, bool $isLimiter = false): self
    {
        $parsed = array_map(LimitText::parse(...), $limits);
        $plain = array_filter($parsed, static fn (object $limit): bool => $limit instanceof PlainLimit);
        if ($plain !== [] && (count($parsed) > 1 || $isLimiter)) {
            $limit = $limits[array_key_first($plain)];
            throw new InvalidArgument("\"$limit\" is doHandle()'s limit, which has no other beside it; a Limiter's limits are fixed:, log: …");
        }
        $isLimiter = $isLimiter || ($parsed !== [] && $plain === []);
        if (!$isLimiter) {
            return new self($name, $id, $plain[0] ?? null, null);
        }
        return new self($name, $id, null, $parsed === [] ? self::named($name) : new Limiter($name, $parsed));
    }

    /** Returns whether the file of ratelimit.limiters has a limiter of this name. */
    public static function isNamed(string $name): bool
    {
        try {
            Limiter::named($name);
        } catch (InvalidArgument) {
            return false;
        }
        return true;
    }

    /** Returns the limiter of the file. Without one: any limit. Forgetting and lifting a ban do not depend on it. */
    private static function named(string $name): Limiter
    {
        return self::isNamed($name) ? Limiter::named($name) : new Limiter($name, Limit::fixedWindow(1, 1));
    }

    public function isLimiter(): bool
    {
        return $this->limiter !== null;
    }

    /** Returns the decision that the next call would get. Counts nothing. */
    public function peek(): Result
    {
        return $this->limiter?->peek($this->id)
            ?? FrequencyLimit::peek($this->name, $this->id, $this->plain->seconds ?? 1, $this->plain->number ?? 1);
    }

    public function forget(): bool
    {
        return $this->limiter?->reset($this->id) ?? FrequencyLimit::reset($this->name, $this->id);
    }

    /** Lifts a ban. A Limiter's counts stay. A ban of doHandle() replaces its count: reset() forgets both, and the log of
     * isActionAllowed(). */
    public function unban(): bool
    {
        return $this->limiter?->unban($this->id) ?? ($this->peek()->reason === Reason::Banned && $this->forget());
    }

    /** @throws InvalidArgument */
    public function ban(int|float $seconds): void
    {
        if ($this->limiter === null) {
            throw new InvalidArgument('doHandle() bans by its $expire alone: only a Limiter can ban by hand');
        }
        $this->limiter->ban($this->id, $seconds);
    }
}

// ---- Access to the page ----

/** Checks the password, keeps the session that follows it, and the token that every form sends back. */
final class Guard
{
    private const LASTS_SECONDS = 12 * 3600;

    private function __construct(private readonly string $password)
    {
    }

    /** Returns null when no password is configured; then there is no page. */
    public static function fromConfiguration(): ?self
    {
        $password = defined('RATELIMIT_PASSWORD') ? constant('RATELIMIT_PASSWORD') : null;
        $password ??= $_SERVER['RATELIMIT_PASSWORD'] ?? getenv('RATELIMIT_PASSWORD');
        return is_string($password) && $password !== '' ? new self($password) : null;
    }

    /** Starts the session. A read-only one keeps no other request of this browser waiting. */
    public function startSession(bool $readOnly): void
    {
        // A session by session.auto_start, or of a file that requires this one, is the application's and stays unchanged.
        if (session_status() === PHP_SESSION_ACTIVE) {
            session_abort();
            $id = $_COOKIE['ratelimit'] ?? '';
            session_id(is_string($id) && preg_match('/^[\w,-]+$/D', $id) ? $id : '');
        }
        session_start([
            'name' => 'ratelimit',
            'use_strict_mode' => true,
            'use_only_cookies' => true,
            'use_trans_sid' => false,
            'cache_limiter' => '',
            'cookie_lifetime' => 0,
            // Cut at characters that would begin another attribute of the cookie.
            'cookie_path' => preg_replace('~[^/]*[;,\s].*~s', '', Page::path()),
            'cookie_httponly' => true,
            'cookie_samesite' => 'Strict',
            'cookie_secure' => ($_SERVER['HTTPS'] ?? 'off') !== 'off',
            'read_and_close' => $readOnly,
        ]);
        if (!$readOnly) {
            $_SESSION['token'] ??= bin2hex(random_bytes(32));
        }
    }

    public function token(): string
    {
        return $_SESSION['token'];
    }

    public function isTokenRight(mixed $token): bool
    {
        return is_string($token) && isset($_SESSION['token']) && hash_equals($_SESSION['token'], $token);
    }

    /** Returns whether the session is logged in. A changed password ends the sessions of the old one. */
    public function isIn(): bool
    {
        return isset($_SESSION['in'], $_SESSION['until']) && time() < $_SESSION['until']
            && hash_equals($this->mark(), $_SESSION['in']);
    }

    /** Logs in. Returns null, or the reason for which it refuses. */
    public function letIn(mixed $password): ?string
    {
        $attempts = new Limiter('ratelimit.php', [
            Limit::slidingLog(5, 60)->named('minute'),
            Limit::slidingLog(20, 3600)->named('hour'),
        ], 'shm:');
        $address = AccessLimit::clientAddress();
        $attempt = $attempts->consume($address);
        if ($attempt->reason === Reason::StoreUnavailable) {
            http_response_code(503);
            return 'Login is not possible: attempts cannot be counted without shared memory. The reason is in PHP\'s error log.';
        }
        if (!$attempt->accepted) {
            http_response_code(429);
            foreach ($attempt->headers() as $name => $value) {
                header("$name: $value");
            }
            return sprintf('Too many attempts. Try again in %d s.', ceil($attempt->retryAfter));
        }
        if (!is_string($password) || !$this->isRight($password)) {
            http_response_code(403);
            return 'The password is wrong.';
        }
        $attempts->reset($address);
        session_regenerate_id(true);
        $_SESSION = ['token' => bin2hex(random_bytes(32)), 'until' => time() + self::LASTS_SECONDS];
        $_SESSION['in'] = $this->mark();
        return null;
    }

    public function letOut(): void
    {
        $_SESSION = [];
        session_destroy();
        setcookie('ratelimit', '', ['expires' => 1, 'path' => ini_get('session.cookie_path')]);
    }

    private function isRight(string $password): bool
    {
        if (password_get_info($this->password)['algo'] !== null) {
            return password_verify($password, $this->password);
        }
        // Hashes have one length: the time of the comparison does not depend on the password's length.
        return hash_equals(hash('sha256', $this->password), hash('sha256', $password));
    }

    private function mark(): string
    {
        return hash_hmac('sha256', $this->password, (string) ($_SESSION['token'] ?? ''));
    }
}

// ---- The page ----

final class Page
{
    private const WATCHED_MAX = 20;

    /** Explanations of the numbers of stats(). */
    private const NUMBERS = [
        'decisions' => 'decisions of the embedded store',
        'refusals' => 'refusals among them',
        'bans' => 'bans that these refusals began',
        'evictions' => 'live states lost for lack of room: should stay near 0',
        'errors' => 'decisions that the embedded store could not make: should be 0',
        'redis_decisions' => 'decisions of Redis',
        'redis_refusals' => 'refusals among them',
        'redis_errors' => 'questions that Redis did not answer: should not grow',
        'cached' => 'refusals of Redis from the deny cache',
        'leased' => 'decisions from permits that Redis had leased to this machine',
        'fallbacks' => 'decisions by ratelimit.on_failure: should not grow',
        'workers' => 'processes and threads that have made decisions',
        'slots' => 'identities that the table has room for',
        'slots_used' => 'entries that were ever used; ended ones are used again',
        'records' => 'bytes for states that are larger than an entry',
        'records_used' => 'bytes of them in use',
        'bytes' => 'bytes of shared memory',
    ];

    private readonly string $nonce;

    public function __construct(private readonly Guard $guard)
    {
        $this->nonce = base64_encode(random_bytes(18));
    }

    public function answer(): void
    {
        self::sendHeaders($this->nonce);
        $post = $_SERVER['REQUEST_METHOD'] === 'POST';
        $stats = !$post && isset($_GET['stats']);
        $this->guard->startSession($stats);
        if ($stats) {
            $this->sendStats();
        } elseif ($post && !$this->guard->isTokenRight($_POST['token'] ?? null)) {
            http_response_code(403);
            $this->sendLogin('The form has expired. Please try again.');
        } elseif ($post && (($_POST['do'] ?? '') === 'login' || (!$this->guard->isIn() && isset($_POST['password'])))) {
            $refusal = $this->guard->letIn($_POST['password'] ?? null);
            $refusal === null ? $this->comeBack() : $this->sendLogin($refusal);
        } elseif (!$this->guard->isIn()) {
            http_response_code($post ? 403 : 200);
            $this->sendLogin('');
        } elseif ($post) {
            $this->act((string) self::field('do'));
            $this->comeBack();
        } else {
            $this->sendPage();
        }
    }

    /** Sends the headers: no content from elsewhere, no scripts but this answer's own, and no frames around it. */
    public static function sendHeaders(string $nonce): void
    {
        header("Content-Security-Policy: default-src 'none'; script-src 'nonce-$nonce'; style-src 'nonce-$nonce'; "
            . "connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
        header('X-Frame-Options: DENY');
        header('X-Content-Type-Options: nosniff');
        header('X-Robots-Tag: noindex');
        header('Referrer-Policy: no-referrer');
        header('Cross-Origin-Opener-Policy: same-origin');
        header('Cross-Origin-Resource-Policy: same-origin');
        header('Cache-Control: no-store');
        header('Content-Type: text/html; charset=utf-8');
    }

    // ---- Buttons ----

    private function act(string $do): void
    {
        if ($do === 'logout') {
            $this->guard->letOut();
            return;
        }
        $watched = [self::field('name'), self::field('id'), self::field('limits'), self::field('kind') === 'limiter'];
        [$name, $id] = $watched;
        try {
            $counter = self::counter($watched);
            $said = match ($do) {
                'look' => $this->look($counter, $watched),
                'hide' => $this->hide($watched),
                'forget' => $counter->forget() ? "Forgotten: $name, $id." : "There was nothing to forget: $name, $id.",
                'unban' => $counter->unban() ? "The ban is lifted: $name, $id." : "There was no ban: $name, $id.",
                'ban' => $this->ban($counter, $name, $id, self::field('for')),
                default => 'There is no such button.',
            };
            $_SESSION['said'] = ['good', $said];
        } catch (InvalidArgument | StoreException $e) {
            $_SESSION['said'] = ['bad', Message::of($e)];
            $_SESSION['form'] = $do === 'look' ? $watched : null;
        }
    }

    private function look(Counter $counter, array $watched): string
    {
        if ($watched[2] === '' && $counter->isLimiter()) {
            throw new InvalidArgument('The limits are missing: without them nothing can be measured.');
        }
        $counter->peek(); // throws for a counter that cannot be shown
        $others = array_filter($_SESSION['watched'] ?? [], static fn (array $one): bool => $one !== $watched);
        $_SESSION['watched'] = array_slice([$watched, ...$others], 0, self::WATCHED_MAX);
        return '';
    }

    private function hide(array $watched): string
    {
        $others = array_filter($_SESSION['watched'] ?? [], static fn (array $one): bool => $one !== $watched);
        $_SESSION['watched'] = array_values($others);
        return '';
    }

    private function ban(Counter $counter, string $name, string $id, string $for): string
    {
        $counter->ban(LimitText::duration($for));
        return "Banned for $for: $name, $id.";
    }

    private static function counter(array $watched): Counter
    {
        [$name, $id, $limits, $isLimiter] = $watched;
        return Counter::of($name, $id, LimitText::split($limits), $isLimiter);
    }

    private static function field(string $name): string
    {
        $value = $_POST[$name] ?? '';
        return is_string($value) ? trim($value) : '';
    }

    private function comeBack(): void
    {
        http_response_code(303);
        header('Location: ' . self::path());
    }

    /** Returns the request's path without the query. It begins with one slash, so that it names no other host. */
    public static function path(): string
    {
        return '/' . ltrim(explode('?', (string) ($_SERVER['REQUEST_URI'] ?? ''), 2)[0], '/\\');
    }

    // ---- The page's parts ----

    private function sendStats(): void
    {
        header('Content-Type: application/json; charset=utf-8');
        if (!$this->guard->isIn()) {
            http_response_code(401);
            echo '{}';
            return;
        }
        $watched = array_map(self::row(...), $_SESSION['watched'] ?? []);
        echo json_encode(['stats' => FrequencyLimit::stats(), 'watched' => $watched, 'now' => microtime(true)],
            JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
    }

    /** Returns the row of a watched counter: its state, what is left, and the seconds until that changes. */
    private static function row(array $watched): array
    {
        try {
            $result = self::counter($watched)->peek();
        } catch (InvalidArgument | StoreException $e) {
            return ['state' => 'unknown', 'left' => Message::of($e), 'seconds' => null];
        }
        $left = $result->accepted ? min($result->remaining + 1, $result->limit) : 0;
        // A concurrent limit that stands alone shows the places that are held.
        $isPlaces = preg_match('/^\s*concurrent:\S+\s*$/D', $watched[2]) === 1;
        $count = $isPlaces ? $result->limit - $left . " of $result->limit held" : "$left of $result->limit";
        $isPlainUnknown = $watched[2] === ''; // without its limit only a ban can be shown
        $alone = $result->store === 'local' ? ', on this machine alone' : '';
        return [
            'state' => $result->reason === Reason::Banned ? 'banned' : ($result->accepted || $isPlainUnknown ? 'free' : 'limited'),
            'left' => $isPlainUnknown ? '' : $count . ($result->name === null ? '' : " ($result->name)") . $alone,
            'seconds' => $result->accepted ? ($left < $result->limit ? $result->resetAfter : null) : $result->retryAfter,
        ];
    }

    private function sendLogin(string $said): void
    {
        $this->begin();
        ?>
<form class="login" method="post">
<h1>ratelimit</h1>
<?php if ($said !== ''): ?><p class="said bad" role="alert"><?= self::e($said) ?></p><?php endif ?>
<label>Password <input type="password" name="password" autocomplete="current-password" required autofocus></label>
<input type="hidden" name="token" value="<?= $this->guard->token() ?>">
<button class="main" name="do" value="login">Log in</button>
</form>
<?php
        $this->end();
    }

    private function sendPage(): void
    {
        $stats = FrequencyLimit::stats();
        [$kind, $said] = $_SESSION['said'] ?? ['', ''];
        [$name, $id, $limits, $isLimiter] = $_SESSION['form'] ?? ['', '', '', false];
        unset($_SESSION['said'], $_SESSION['form']);
        $token = '<input type="hidden" name="token" value="' . $this->guard->token() . '">';
        $this->begin();
        ?>
<header>
<h1>ratelimit <small><?= self::e(phpversion('ratelimit')) ?></small></h1>
<p><code><?= self::e($stats['store']) ?></code> on <?= self::e((string) gethostname()) ?>, PHP <?= PHP_VERSION ?> (<?= PHP_SAPI ?>), segment: <?= self::e($stats['segment']) ?></p>
<form method="post"><?= $token ?><button class="quiet" name="do" value="logout">Log out</button></form>
</header>
<?php if ($said !== ''): ?><p class="said <?= $kind ?>" role="status"><?= self::e($said) ?></p><?php endif ?>

<?php foreach ($stats['warnings'] as $warning): ?>
<p class="warning" role="alert">Warning: <?= self::e($warning) ?></p>
<?php endforeach ?>
<noscript><p class="said bad">The numbers and the plots need JavaScript; the forms below work without it.</p></noscript>
<section class="tiles">
<p><span>Decisions</span><b data-sum="decisions redis_decisions cached leased"></b><i data-rate="decisions redis_decisions cached leased"></i></p>
<p><span>Refusals</span><b data-sum="refusals redis_refusals cached"></b><i data-rate="refusals redis_refusals cached"></i></p>
<p><span>Bans begun</span><b data-sum="bans"></b><i data-rate="bans"></i></p>
<p data-alarm="evictions"><span>Evictions</span><b data-sum="evictions"></b><i data-rate="evictions"></i></p>
<p><span>Slots used</span><b data-share="slots_used slots"></b><progress data-share="slots_used slots" max="1"></progress></p>
<p><span>Records used</span><b data-share="records_used records"></b><progress data-share="records_used records" max="1"></progress></p>
</section>

<section class="plots">
<figure data-plot="decisions+redis_decisions+cached+leased refusals+redis_refusals+cached"><figcaption>A second <span class="k0">decisions</span> <span class="k1">refusals</span></figcaption><svg role="img" aria-label="Decisions and refusals a second"></svg></figure>
<figure data-plot="evictions errors redis_errors fallbacks"><figcaption>A second <span class="k0">evictions</span> <span class="k1">errors</span> <span class="k2">Redis errors</span> <span class="k3">fallbacks</span></figcaption><svg role="img" aria-label="Evictions, errors and fallbacks a second"></svg></figure>
</section>

<section class="servers"<?= empty($stats['servers']) ? ' hidden' : '' ?>>
<h2>Redis</h2>
<table><thead><tr><th>Server</th><th>State</th><th>Since</th><th>Latency</th><th>Failures</th></tr></thead><tbody></tbody></table>
</section>

<section class="watched">
<h2>Look up an identity</h2>
<form class="look" method="post"><?= $token ?>

<label>Action, or limiter <input name="name" required maxlength="255" placeholder="comment" value="<?= self::e($name) ?>"></label>
<label>Identity <input name="id" required maxlength="255" placeholder="7" value="<?= self::e($id) ?>"></label>
<label class="wide">Limits <input name="limits" maxlength="500" placeholder="10/30s" value="<?= self::e($limits) ?>"></label>
<label>Kind <select name="kind"><option value="">by its limits</option><option value="limiter"<?= $isLimiter ? ' selected' : '' ?>>a Limiter</option></select></label>
<button class="main" name="do" value="look">Look up</button>
<details><summary>Limits</summary><pre><?= self::e(LimitText::GRAMMAR) ?>

Separate several limits by blanks.</pre></details>
</form>
<table<?= empty($_SESSION['watched']) ? ' hidden' : '' ?>><thead><tr><th>Name</th><th>Identity</th><th>Limits</th><th>State</th><th>Left</th><th></th></tr></thead><tbody>
<?php foreach ($_SESSION['watched'] ?? [] as $watched): ?>
<tr>
<?php foreach (array_slice($watched, 0, 3) as $i => $part): ?><td data-label="<?= ['Name', 'Identity', 'Limits'][$i] ?>"><?= self::e($part) ?></td><?php endforeach ?>

<td data-label="State"><span class="state"></span> <time></time></td><td data-label="Left" class="left"></td>
<td><form method="post"><?= $token ?><?php foreach (['name', 'id', 'limits'] as $i => $field): ?><input type="hidden" name="<?= $field ?>" value="<?= self::e($watched[$i]) ?>"><?php endforeach ?><input type="hidden" name="kind" value="<?= $watched[3] ? 'limiter' : '' ?>">
<button name="do" value="unban">Lift the ban</button> <button name="do" value="forget">Forget</button>
<?php if (self::counter($watched)->isLimiter()): ?><span class="pair"><button name="do" value="ban">Ban for</button><input name="for" value="1h" size="4" aria-label="how long"></span><?php endif ?>
<button class="quiet" name="do" value="hide" aria-label="Hide">Hide</button></form></td>
</tr>
<?php endforeach ?>
</tbody></table>
</section>

<details class="numbers"><summary>All numbers</summary>
<table><tbody>
<?php foreach (array_filter($stats, is_int(...)) as $key => $value): ?>
<tr><th><?= self::e($key) ?></th><td data-sum="<?= self::e($key) ?>"></td><td><?= self::e(self::NUMBERS[$key] ?? '') ?></td></tr>
<?php endforeach ?>
</tbody></table></details>
<script nonce="<?= $this->nonce ?>">
<?= SCRIPT ?>

</script>
<?php
        $this->end();
    }

    private function begin(): void
    {
        ?>
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>ratelimit</title>
<link rel="icon" href="data:,">
<style nonce="<?= $this->nonce ?>">
<?= STYLE ?>

</style>
</head>
<body>
<?php
    }

    private function end(): void
    {
        echo "</body>\n</html>\n";
    }

    private static function e(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
    }
}

const STYLE = <<<'CSS'
    :root {
        color-scheme: light dark;
        --ground: #f6f5f1; --card: #fffefb; --ink: #1d1c1a; --soft: #66625a; --line: #e2dfd6; --code: #efede6;
        --good: #0b7a56; --bad: #b3261e; --bad-ground: #fbe9e7; --good-ground: #e3f3ec;
        --k0: #0b7a56; --k1: #c0392b; --k2: #8a5a00; --k3: #6a4fc4;
    }
    @media (prefers-color-scheme: dark) {
        :root {
            --ground: #151514; --card: #1f1e1c; --ink: #ecebe6; --soft: #a3a097; --line: #35332f; --code: #292825;
            --good: #45c796; --bad: #ff8f85; --bad-ground: #3a1f1c; --good-ground: #15302a;
            --k0: #45c796; --k1: #ff7a6e; --k2: #e8b04a; --k3: #a793ff;
        }
    }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    body { margin: 0 auto; padding: 1.25rem clamp(1rem, 3vw, 2.5rem) 2.5rem; max-width: 78rem; background: var(--ground);
        color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
    h1, h2, p, pre, figure { margin: 0; }
    h1 { font-size: 1.25rem; letter-spacing: -.01em; } h1 small { font-weight: 400; color: var(--soft); }
    h2 { margin: 1.8rem 0 .6rem; font-size: 1.06rem; }
    code, pre { font: .87em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
    header { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; align-items: baseline; }
    header p { flex: 1; min-width: 14rem; color: var(--soft); font-size: .91rem; }
    button, input, select { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 8px; background: var(--card);
        padding: .38rem .7rem; min-width: 0; }
    button { cursor: pointer; font-weight: 600; font-size: .9rem; white-space: nowrap; } button:hover { background: var(--code); }
    button.main { border-color: transparent; background: var(--good); color: var(--card); }
    button.main:hover { background: color-mix(in srgb, var(--good) 88%, var(--ink)); }
    button.quiet { border: 0; background: none; padding: .38rem .2rem; font-weight: 400; color: var(--soft); text-decoration: underline;
        text-underline-offset: 3px; }
    :focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }
    .said { margin-top: 1rem; padding: .5rem .8rem; border-radius: 9px; background: var(--good-ground); color: var(--good); font-weight: 600;
        overflow-wrap: anywhere; }
    .said.bad { background: var(--bad-ground); color: var(--bad); }
    .login { max-width: 21rem; margin: 16vh auto 0; padding: 1.5rem; border: 1px solid var(--line); border-radius: 14px;
        background: var(--card); display: grid; gap: .9rem; }
    .warning { margin-top: .6rem; padding: .5rem .8rem; border-radius: 9px; background: var(--bad-ground); color: var(--bad);
        overflow-wrap: anywhere; }
    .login .said { margin: 0; } .login label { display: grid; gap: .25rem; color: var(--soft); font-size: .91rem; }
    .login input { padding: .5rem .7rem; background: var(--ground); } .login button { padding: .55rem; }
    .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.2rem, 1fr)); gap: .8rem; margin-top: 1.2rem; }
    .tiles p, .plots figure { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
    .tiles span, .tiles i { display: block; font-style: normal; font-size: .87rem; color: var(--soft); min-height: 1.3em; }
    .tiles b { font-size: 1.6rem; line-height: 1.25; font-weight: 650; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
    .tiles .alarm b { color: var(--bad); }
    progress { display: block; width: 100%; height: 6px; margin-top: .45rem; appearance: none; border: 0; border-radius: 3px; overflow: hidden;
        background: var(--line); }
    progress::-webkit-progress-bar { background: var(--line); } progress::-webkit-progress-value { background: var(--good); }
    progress::-moz-progress-bar { background: var(--good); }
    .plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: .8rem; margin-top: .8rem; }
    .plots svg { display: block; width: 100%; height: 11rem; } figcaption { font-size: .87rem; color: var(--soft); }
    figcaption span { margin-left: .8rem; white-space: nowrap; }
    figcaption span::before { content: ""; display: inline-block; width: .9em; height: 3px; margin-right: .35em; vertical-align: .25em;
        border-radius: 2px; background: currentColor; }
    .k0 { color: var(--k0); } .k1 { color: var(--k1); } .k2 { color: var(--k2); } .k3 { color: var(--k3); }
    svg path { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
    svg line { stroke: var(--line); } svg text { fill: var(--soft); font-size: 11px; }
    table { width: 100%; border-collapse: collapse; font-size: .91rem; font-variant-numeric: tabular-nums; }
    th { text-align: left; font-weight: 600; color: var(--soft); } th, td { padding: .4rem .8rem .4rem 0; border-top: 1px solid var(--line);
        vertical-align: baseline; overflow-wrap: anywhere; } thead th { border: 0; padding-top: 0; font-size: .87rem; }
    td form { display: flex; flex-wrap: wrap; gap: .35rem; justify-content: flex-end; } td button, td input { padding: .2rem .55rem; }
    .watched table { table-layout: fixed; } .watched td:last-child { padding-right: 0; } .watched time { white-space: nowrap; }
    .watched th:nth-child(-n+2) { width: 10.5%; } .watched th:nth-child(4) { width: 12.2rem; }
    .watched th:nth-child(5) { width: 7.5rem; } .watched th:last-child { width: 16.8rem; }
    .pair { display: inline-flex; } .pair button { border-radius: 8px 0 0 8px; border-right: 0; } .pair input { border-radius: 0 8px 8px 0; }
    .state { font-weight: 600; } .state::before { content: "●"; margin-right: .35em; font-size: .8em; }
    .closed, .free { color: var(--good); } .open, .limited, .banned, .unknown { color: var(--bad); } .half-open { color: var(--k2); }
    .look { display: grid; grid-template-columns: 1fr 1fr 2fr 1fr auto; gap: .6rem; align-items: end; padding: .9rem 1rem; margin-bottom: 1rem;
        border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
    .look :is(input, select, button) { height: 2.25rem; } .look label { display: grid; gap: .2rem; font-size: .87rem; color: var(--soft); } .look input, .look select { background: var(--ground); color: var(--ink); }
    .look details { grid-column: 1 / -1; } summary { cursor: pointer; min-height: 24px; color: var(--soft); font-size: .91rem; }
    .look pre { margin-top: .5rem; padding: .7rem .9rem; border-radius: 8px; background: var(--code); white-space: pre-wrap; }
    .numbers { margin-top: 2rem; } .numbers table { margin-top: .5rem; } .numbers td:nth-child(2) { text-align: right; width: 9rem; }
    .numbers th { width: 11rem; } .numbers td:last-child { padding-left: 1.2rem; color: var(--soft); }
    @media (max-width: 46rem) {
        .look { grid-template-columns: 1fr 1fr; } .look .wide { grid-column: 1 / -1; }
        .watched thead { display: none; } .watched tr { display: block; padding: .5rem 0; border-top: 1px solid var(--line); }
        .watched td { display: flex; gap: .4rem; border: 0; padding: .1rem 0; } 
        .watched td.left:empty { display: none; } .watched td form { justify-content: flex-start; margin-top: .3rem; }
        .watched td[data-label]::before { content: attr(data-label); flex: 0 0 5.5rem; color: var(--soft); }
        .numbers td:last-child { display: none; }
    }
    CSS;

const SCRIPT = <<<'JS'
    'use strict';
    // The page samples the numbers while it is open. Sending a form keeps the samples.
    const EVERY_MS = 1000, KEPT = 300;
    const samples = JSON.parse(sessionStorage.getItem('ratelimit') ?? '[]');
    const words = {free: 'free', limited: 'limited', banned: 'banned', unknown: '?', closed: 'closed: answers', open: 'open: not asked', 'half-open': 'half-open: one probe'};
    const sum = (stats, names) => names.split(/[ +]/).reduce((n, name) => n + (stats[name] ?? 0), 0);
    const each = (selector, what) => document.querySelectorAll(selector).forEach(what);

    /** 1234567 → "1 234 567" */
    const whole = (n) => Math.round(n).toString().replace(/\B(?=(\d{3})+$)/g, '\u202f');
    const rate = (n) => n >= 100 ? whole(n) : n >= 10 ? n.toFixed(1) : n.toFixed(2).replace(/\.?0+$/, '');

    function span(seconds) {
        const s = Math.ceil(seconds), two = (n) => String(n).padStart(2, '0');
        if (s < 60) {
            return seconds < 10 ? (Math.ceil(seconds * 10) / 10).toFixed(1) + ' s' : s + ' s';
        }
        return s < 3600 ? Math.floor(s / 60) + ':' + two(s % 60)
            : s < 172800 ? Math.floor(s / 3600) + ':' + two(Math.floor(s / 60) % 60) + ':' + two(s % 60) : Math.floor(s / 86400) + ' days';
    }

    /** Returns the growth per second from sample i - 1 to i. The counts of a new segment begin at 0. */
    function rateAt(i, names) {
        const [before, after] = [samples[i - 1], samples[i]];
        return Math.max(0, (sum(after.stats, names) - sum(before.stats, names)) / Math.max(after.now - before.now, 0.001));
    }

    function svg(name, attributes, text) {
        const element = document.createElementNS('http://www.w3.org/2000/svg', name);
        Object.entries(attributes).forEach(([key, value]) => element.setAttribute(key, value));
        element.textContent = text ?? '';
        return element;
    }

    function plot(figure) {
        const canvas = figure.querySelector('svg'), {width, height} = canvas.getBoundingClientRect();
        const left = 6, right = 6, top = 18, bottom = 18, until = samples.at(-1).now;
        const lasts = Math.min(KEPT * EVERY_MS / 1000, Math.max(60, until - samples[0].now));
        const lines = figure.dataset.plot.split(' ').map((names) =>
            samples.slice(1).map((sample, i) => [sample.now, rateAt(i + 1, names)]).filter(([now]) => now > until - lasts));
        const most = Math.max(1, ...lines.flat().map(([, value]) => value));
        const step = 10 ** Math.floor(Math.log10(most)), ceiling = [1, 2, 5, 10].map((n) => n * step).find((n) => n >= most);
        const x = (now) => left + (width - left - right) * (1 - (until - now) / lasts);
        const y = (value) => top + (height - top - bottom) * (1 - value / ceiling);
        const parts = [];
        for (const value of [0, ceiling / 2, ceiling]) {
            parts.push(svg('line', {x1: left, x2: width - right, y1: y(value), y2: y(value)}));
            if (value) {
                parts.push(svg('text', {x: left, y: y(value) - 4}, rate(value)));
            }
        }
        for (const ago of [240, 180, 120, 60, 45, 30, 15].filter((s) => s < lasts * 0.97 && (s >= 60 || lasts < 120))) {
            const text = ago < 60 ? `−${ago} s` : `−${ago / 60} min`;
            parts.push(svg('text', {x: x(until - ago), y: height - 3, 'text-anchor': 'middle'}, text));
        }
        lines.forEach((points, i) => {
            const d = points.map(([now, value], j) => (j ? 'L' : 'M') + x(now).toFixed(1) + ' ' + y(value).toFixed(1)).join('');
            parts.push(svg('path', {d, class: 'k' + i}));
        });
        canvas.setAttribute('viewBox', `0 0 ${width} ${height}`);
        canvas.replaceChildren(...parts);
    }

    function cell(row, text, className) {
        const td = row.insertCell();
        const inner = document.createElement('span');
        inner.textContent = text;
        inner.className = className ?? '';
        td.append(inner);
    }

    function showServers(servers) {
        const section = document.querySelector('.servers'), body = section.querySelector('tbody');
        section.hidden = servers.length === 0;
        body.replaceChildren();
        for (const server of servers) {
            const row = body.insertRow();
            cell(row, server.server);
            cell(row, words[server.state] ?? server.state, 'state ' + server.state);
            cell(row, server.since ? span(server.since) : '');
            cell(row, server.latency ? (server.latency * 1000).toFixed(2) + ' ms' : '');
            cell(row, whole(server.failures ?? 0));
        }
    }

    function showWatched(rows) {
        each('.watched tbody tr', (row, i) => {
            if (!rows[i]) {
                return;
            }
            const state = row.querySelector('.state'), {state: now, left, seconds} = rows[i];
            state.textContent = words[now];
            state.className = 'state ' + now;
            row.querySelector('[value=unban]').hidden = now !== 'banned';
            row.querySelector('.left').textContent = left;
            row.querySelector('time').textContent = seconds === null ? '' : (now === 'free' ? 'all back in ' : 'for ') + span(seconds);
        });
    }

    function show({stats, watched}) {
        const last = samples.length - 1;
        each('[data-sum]', (element) => element.textContent = whole(sum(stats, element.dataset.sum)));
        each('[data-share]', (element) => {
            const [used, of] = element.dataset.share.split(' ').map((name) => stats[name]);
            const share = of ? used / of : 0;
            element.value = share;
            if (element.localName !== 'progress') {
                element.textContent = (share * 100).toFixed(share && share < 0.1 ? 2 : 1) + ' %';
            }
        });
        each('[data-rate]', (element) => element.textContent = last ? rate(rateAt(last, element.dataset.rate)) + ' a second' : '');
        each('[data-alarm]', (element) => element.classList.toggle('alarm', sum(stats, element.dataset.alarm) > 0));
        each('[data-plot]', plot);
        showServers(stats.servers ?? []);
        showWatched(watched);
    }

    async function sample() {
        const response = await fetch('?stats');
        if (response.status === 401) {
            location.reload();
            return;
        }
        const answer = await response.json();
        samples.push({stats: answer.stats, now: answer.now});
        samples.splice(0, samples.length - KEPT);
        sessionStorage.setItem('ratelimit', JSON.stringify(samples));
        show(answer);
    }

    async function forever() {
        await sample().catch(() => {});
        setTimeout(forever, EVERY_MS);
    }
    forever();
    JS;

if (PHP_SAPI === 'cli') {
    if (get_included_files()[0] === __FILE__) {
        fwrite(STDERR, "ratelimit.php is a web page: RATELIMIT_PASSWORD=… php -S 127.0.0.1:8080 ratelimit.php. The command is bin/ratelimit\n");
        exit(2);
    }
    return; // bin/ratelimit uses the first section only
}

$missing = array_filter(['ratelimit', 'session'], static fn (string $name): bool => !extension_loaded($name));
$guard = $missing === [] ? Guard::fromConfiguration() : null;
if ($guard === null) {
    Page::sendHeaders('');
    header('Content-Type: text/plain; charset=utf-8');
    http_response_code(503);
    echo $missing === []
        ? "ratelimit.php has no password, so it shows nothing: see its first lines for how to set one.\n"
        : 'ratelimit.php needs the PHP extension ' . implode(' and ', $missing) . ".\n";
    return;
}
(new Page($guard))->answer();
