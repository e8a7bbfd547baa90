<?php

/*
 * ratelimit.php: a web page that shows which calls the rate limiter refuses, by which limit, for whom and since when. Its
 * buttons ban, lift a ban and forget counts.
 *
 * It is one file. Serve it from the FPM master (or other PHP) whose counts it should show. It does nothing without a
 * password: RATELIMIT_PASSWORD in the environment (php-fpm: env[RATELIMIT_PASSWORD] = … in the pool; nginx:
 * fastcgi_param), or in a PHP file of your own:
 *
 *     const RATELIMIT_PASSWORD = '$2y$10$…';     // a hash by password_hash(), or the password itself
 *     require '/srv/ratelimit/ratelimit.php';
 *
 * ratelimit.php?metrics serves Monitor::metrics() to Prometheus, with a bearer token: RATELIMIT_METRICS_TOKEN, set
 * in the same way, at least 16 characters. RATELIMIT_BACK: the address of a link back to your application.
 *
 * To try it: RATELIMIT_PASSWORD=secret php -S 127.0.0.1:8080 ratelimit.php
 *
 * bin/ratelimit does the same in a terminal.
 */

declare(strict_types=1);

namespace FrequencyLimit\Page;

use FrequencyLimit\FrequencyLimit;
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Monitor;
use FrequencyLimit\Reason;
use FrequencyLimit\Request;
use FrequencyLimit\Result;
use FrequencyLimit\StoreException;

// ---- Limits as text, and the state of an identity: bin/ratelimit uses this section, too. ----

/** The Chinese of this section's texts. A text without an entry stays English. */
const CHINESE = [
    '"{limit}" is doHandle()\'s limit, which has no other beside it; a Limiter\'s limits are fixed:, log: …'
        => '“{limit}”是 doHandle() 的限制，不能与其他限制并列；Limiter 的限制写作 fixed:、log: 等',
    'doHandle() takes whole seconds and no options; fixed:, log: and the others do'
        => 'doHandle() 的限制只接受整数秒，没有选项；fixed:、log: 等没有这些约束',
    'doHandle() and check(): 10 in 30 seconds' => 'doHandle() 和 check()：30 秒内 10 次',
    'Durations: 500ms 30s 5m 2h 1d 1w. Periods: minute hour day week month quarter year.'
        => '时长：500ms 30s 5m 2h 1d 1w。周期：minute hour day week month quarter year。',
    '{days} days' => '{days} 天',
    '"{text}" is not a limit: {why}' => '“{text}”不是有效的限制：{why}',
    'the limits of "{name}" have identities of their own. Choose one of these labels: {labels}' => '“{name}”的限制各有自己的标识，请选择一个标签：{labels}',
    'the Limiter "{name}" has a store of its own, which the file of ratelimit.limiters alone knows: leave out the limits'
        => 'Limiter“{name}”有自己的存储，只有 ratelimit.limiters 的文件知道它：请不要写限制',
    'the ban is kept, but calls pass: the identity is exempt, the limits are shadows, or ratelimit.enforce is 0'
        => '封禁已保存，但调用仍会放行：标识被豁免，限制是影子限制，或者 ratelimit.enforce 为 0',
    'it is still refused: by refuse= of the file, or by the ban of its network' => '仍会被拒绝：因为文件中的 refuse=，或者它所在的网段已被封禁',
    '"{id}" is a network, which can be banned from a Limiter alone, not from an action of doHandle() or from an attribute'
        => '“{id}”是一个网段：网段只能从 Limiter 封禁，不能从 doHandle() 的操作或注解封禁',
];

/** The language of the page or of the command, and its texts. The English text is the key. */
final class Text
{
    public const LANGUAGES = ['en', 'zh'];

    private static string $language = 'en';
    /** @var array<string, string> */
    private static array $chinese = CHINESE;

    /** @param array<string, string> $chinese by the English text */
    public static function choose(string $language, array $chinese): void
    {
        self::$language = $language;
        self::$chinese = CHINESE + $chinese;
    }

    public static function language(): string
    {
        return self::$language;
    }

    /** Returns a text in the language, with its {places} filled in. */
    public static function of(string $english, string|int|float ...$values): string
    {
        $text = self::$language === 'zh' ? self::$chinese[$english] ?? $english : $english;
        $places = array_map(static fn (string $place): string => '{' . $place . '}', array_keys($values));
        return strtr($text, array_combine($places, array_map(strval(...), $values)));
    }

    /** Returns "4.2 s", "0:59", "1:02:03" or "3 days": rounded up, as all waits of a limiter must be. */
    public static function duration(float $seconds): string
    {
        if ($seconds < 10) {
            return sprintf('%.1f s', ceil($seconds * 10) / 10);
        }
        $s = (int) ceil($seconds);
        return match (true) {
            $s < 3600 => sprintf('%d:%02d', intdiv($s, 60), $s % 60),
            $s < 172800 => sprintf('%d:%02d:%02d', intdiv($s, 3600), intdiv($s, 60) % 60, $s % 60),
            default => t('{days} days', days: intdiv($s, 86400)),
        };
    }
}

/** Returns a text in the language of the page or of the command. */
function t(string $english, string|int|float ...$values): string
{
    return Text::of($english, ...$values);
}

/** Writes messages of exceptions, and names that clients have chosen, for users of the page and the command. */
final class Message
{
    /**
     * Returns a text with what a reader would not see as \xNN: control characters, marks of the writing's direction, blanks at its
     * ends, and bytes that are not UTF-8. No two texts look the same for them.
     */
    public static function shown(string|int|float $value): string
    {
        $hidden = '\A\x20+|\x20+\z|[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xd8\x9c|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf';
        $character = '[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xef][\x80-\xbf]{2}|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf4][\x80-\xbf]{3}';
        return preg_replace_callback("/$hidden|(?:$character)(*SKIP)(*F)|[\x80-\xff]/",
            static fn (array $found): string => preg_replace('/../', '\x$0', bin2hex($found[0])), (string) $value);
    }

    /** Returns the message about a ban that Counter::ban() has kept, and that refuses nothing. */
    public static function banPasses(): string
    {
        return t('the ban is kept, but calls pass: the identity is exempt, the limits are shadows, or ratelimit.enforce is 0');
    }

    /** Returns the message about a ban that Counter::unban() has lifted, while another one refuses. */
    public static function stillBanned(): string
    {
        return t('it is still refused: by refuse= of the file, or by the ban of its network');
    }

    public static function actionHasNoNetworks(string $id): string
    {
        return t('"{id}" is a network, which can be banned from a Limiter alone, not from an action of doHandle() or from an attribute', id: $id);
    }

    /** Returns the line of the log about what an operator has done. It is one line, whatever the names are. */
    public static function record(string $who, string $did, string $name, string ...$ids): string
    {
        return "ratelimit: $who $did " . self::shown($name) . ': ' . implode(', ', array_map(self::shown(...), $ids));
    }

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
        10/30s                           {counter}
        fixed:10/30s                     Limit::fixedWindow(10, 30)
        log:5/60s                        Limit::slidingLog(5, 60)
        window:1000000/60s               Limit::slidingWindow(1000000, 60)
        calendar:10/hour@Asia/Shanghai   Limit::calendar(10, Period::Hour, 'Asia/Shanghai')
        bucket:10/1s,burst=50            Limit::tokenBucket(10, 1, burst: 50)
        concurrent:2/600s                Limit::concurrent(2, 600)
        …,ban=1h  …,ban=day              ->ban(3600), ->ban(Period::Day)
        …,lease  …,name=minute           ->leased(), ->named('minute')
        {units}
        TEXT;

    /** Returns the grammar in the language of the page or of the command. */
    public static function grammar(): string
    {
        return strtr(self::GRAMMAR, [
            '{counter}' => t('doHandle() and check(): 10 in 30 seconds'),
            '{units}' => t('Durations: 500ms 30s 5m 2h 1d 1w. Periods: minute hour day week month quarter year.'),
        ]);
    }

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
            throw self::wrong($text, t('doHandle() takes whole seconds and no options; fixed:, log: and the others do'));
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
        return new InvalidArgument(t('"{text}" is not a limit: {why}', text: $text, why: $why));
    }
}

/** The state of one identity: a counter of doHandle() and check(), or a Limiter's state. */
final class Counter
{
    /** The rows that Monitor::top() and bans() return at most. */
    public const SEEN_MAX = 1000;

    /** Without limits, only forget(), unban() and ban() make sense. */
    private function __construct(
        private readonly string $name,
        private readonly string $id,
        private readonly ?PlainLimit $plain,
        private readonly ?Limiter $limiter,
        private readonly ?string $by,
    ) {
    }

    /**
     * @param list<string> $limits texts for LimitText: one of doHandle(), or those of a Limiter
     * @param ?string $by the label of the identity, where the limits have identities of their own
     * @param ?bool $elsewhere whether the Limiter has another store than ratelimit.store, as rows of top() and bans() say it; null: the Limiter of the
     *     file of ratelimit.limiters, if that has one
     * @throws InvalidArgument
     */
    public static function of(string $name, string $id, array $limits, bool $isLimiter = false, ?string $by = null, ?bool $elsewhere = null): self
    {
        $parsed = array_map(LimitText::parse(...), $limits);
        $plain = array_filter($parsed, static fn (object $limit): bool => $limit instanceof PlainLimit);
        if ($plain !== [] && (count($parsed) > 1 || $isLimiter || $by !== null)) {
            $limit = $limits[array_key_first($plain)];
            throw new InvalidArgument(t('"{limit}" is doHandle()\'s limit, which has no other beside it; a Limiter\'s limits are fixed:, log: …', limit: $limit));
        }
        if (!$isLimiter && $by === null && ($parsed === [] || $plain !== [])) {
            return new self($name, $id, $plain[0] ?? null, null, null);
        }
        $limiter = self::limiter($name, $parsed, $by, $elsewhere);
        $labels = self::labels($limiter);
        $by ??= count($labels) === 1 ? $labels[0] : null;
        if (!self::has($labels, $by)) {
            throw self::withoutLabel($name, $labels);
        }
        return new self($name, $id, null, $limiter, $by);
    }

    /** @param list<string> $labels */
    public static function withoutLabel(string $name, array $labels): InvalidArgument
    {
        return new InvalidArgument(t('the limits of "{name}" have identities of their own. Choose one of these labels: {labels}', name: $name, labels: implode(', ', $labels)));
    }

    /** Returns that of a key of Monitor::scan(), by which a ban can be seen. */
    public static function ofKey(array $key): self
    {
        $isLimiter = $key['kind'] === 'limiter';
        $limit = $key['by'] === null ? Limit::fixedWindow(1, 1) : Limit::fixedWindow(1, 1)->by($key['by']);
        return new self($key['name'], (string) $key['identity'], null, $isLimiter ? new Limiter($key['name'], $limit) : null, $key['by']);
    }

    /** Returns the limiter of the file. Without one: any limit. Forgetting, bans and lifting a ban do not depend on it, but on the label. */
    private static function limiter(string $name, array $limits, ?string $by, ?bool $elsewhere): Limiter
    {
        $named = self::named($name);
        $hasStore = self::hasStore($named);
        if ($named !== null && $limits === [] && ($elsewhere === null || ($elsewhere === $hasStore && self::has(self::labels($named), $by)))) {
            return $named;
        }
        if ($elsewhere ?? $hasStore) {
            throw new InvalidArgument(t('the Limiter "{name}" has a store of its own, which the file of ratelimit.limiters alone knows: leave out the limits', name: $name));
        }
        $limits = $limits === [] ? [Limit::fixedWindow(1, 1)] : $limits;
        if ($by !== null) {
            $limits = array_map(static fn (Limit $limit): Limit => $limit->by === null ? $limit->by($by) : $limit, $limits);
            $limits = array_values(array_filter($limits, static fn (Limit $limit): bool => $limit->by === $by)) ?: $limits;
        }
        return new Limiter($name, $limits);
    }

    /** Returns the limiter of this name of the file of ratelimit.limiters. */
    public static function named(string $name): ?Limiter
    {
        try {
            return Limiter::named($name);
        } catch (InvalidArgument) {
            return null;
        }
    }

    /** Returns whether a limiter has another store than ratelimit.store. */
    public static function hasStore(?Limiter $limiter): bool
    {
        return !in_array($limiter?->store, [null, Monitor::stats()['store']], true);
    }

    /** @return list<string> the labels of the limits' identities; none where all share one */
    private static function labels(Limiter $limiter): array
    {
        return array_values(array_unique(array_filter(array_map(static fn (Limit $limit): ?string => $limit->by, $limiter->limits), is_string(...))));
    }

    /** @param list<string> $labels */
    private static function has(array $labels, ?string $by): bool
    {
        return $by === null ? $labels === [] : in_array($by, $labels, true);
    }

    /** Returns the rows of top() and bans() that have a name. */
    public static function seen(string $name): array
    {
        return array_filter([...Monitor::top(self::SEEN_MAX), ...Monitor::bans(self::SEEN_MAX)], static fn (array $row): bool => $row['name'] === $name);
    }

    /** Returns whether this machine counts a name as a Limiter, or as an action, or the file has such a limiter. An attribute's count is a Limiter's. */
    public static function isKnown(string $name, bool $isLimiter): bool
    {
        // limiters() has a function with an attribute by the function's name, which is not that of its count: this has the path, too.
        $counted = array_filter(Monitor::limiters(), static fn (array $row): bool => $row['name'] === $name && in_array($row['kind'], ['limiter', 'action'], true));
        foreach ([...$counted, ...self::seen($name)] as $row) {
            if (($row['kind'] !== 'action') === $isLimiter) {
                return true;
            }
        }
        return $isLimiter && self::named($name) !== null;
    }

    /** Returns whether calls of attributes alone have a name: of their functions, or of their counts. */
    public static function isAttributes(string $name): bool
    {
        $rows = array_filter([...Monitor::limiters(), ...Monitor::top(self::SEEN_MAX)], static fn (array $row): bool => $row['name'] === $name);
        return $rows !== [] && array_diff(array_column($rows, 'kind'), ['attribute']) === [] && self::named($name) === null;
    }

    /** Returns whether this machine knows a name, but only as the other kind: as a Limiter instead of an action, or the reverse. */
    public static function isOfOtherKind(string $name, bool $isLimiter): bool
    {
        return self::isKnown($name, !$isLimiter) && !self::isKnown($name, $isLimiter);
    }

    public function isLimiter(): bool
    {
        return $this->limiter !== null;
    }

    /** Returns whether the state is in the shared memory of this machine. */
    public function isEmbedded(): bool
    {
        return ($this->limiter?->store ?? ini_get('ratelimit.store')) === 'shm:';
    }

    /** Returns the decision that the next call would get. Counts nothing. */
    public function peek(): Result
    {
        if ($this->limiter === null) {
            return FrequencyLimit::peek($this->name, $this->id, $this->plain->seconds ?? 1, $this->plain->number ?? 1);
        }
        // The other labels get identities that nobody has, and their limits no cost.
        $others = array_diff(self::labels($this->limiter), [$this->by]);
        $ids = array_fill_keys($others, bin2hex(random_bytes(16)));
        $costs = [];
        foreach ($others === [] ? [] : $this->limiter->limits as $limit) {
            $costs[$limit->name] = $limit->by === $this->by ? 1 : 0;
        }
        return $this->limiter->peek($this->by === null ? $this->id : $ids + [$this->by => $this->id], $costs === [] ? 1 : $costs);
    }

    public function forget(): bool
    {
        return $this->limiter?->reset($this->identity()) ?? FrequencyLimit::reset($this->name, $this->id);
    }

    /** Lifts a ban; the counts stay. */
    public function unban(): bool
    {
        return $this->limiter?->unban($this->identity()) ?? FrequencyLimit::unban($this->name, $this->id);
    }

    public function isBanned(): bool
    {
        return $this->peek()->reason === Reason::Banned;
    }

    /**
     * Bans, and reads the ban back. A network that a client is known by, as ratelimit.ipv6_prefix makes it, is banned as its identity,
     * too.
     *
     * @param bool $isOwn the operator has written the identity, and means a network by the text of one. A client has not chosen it
     * @return bool whether calls are refused now
     * @throws InvalidArgument
     */
    public function ban(int|float $seconds, bool $isOwn): bool
    {
        $network = $isOwn ? self::network($this->id) : null;
        if ($network !== null && $this->limiter === null) {
            throw new InvalidArgument(Message::actionHasNoNetworks($this->id));
        }
        if ($network !== null) {
            $this->limiter->ban($this->identity(), $seconds, network: true);
        }
        if ($network === null || (str_contains($network, ':') && str_ends_with($network, '/' . ini_get('ratelimit.ipv6_prefix')))) {
            $id = $network ?? $this->id;
            $this->limiter === null ? FrequencyLimit::ban($this->name, $id, $seconds) : $this->limiter->ban($this->by === null ? $id : [$this->by => $id], $seconds);
        }
        return $this->isBanned();
    }

    /** Returns a network as the extension writes it, 203.0.113.0/24; null: the text is none. */
    public static function network(string $id): ?string
    {
        $address = preg_match('~^([\da-f:.]+)/(\d{1,3})$~Di', $id, $found) === 1 ? @inet_pton($found[1]) : false;
        if ($address === false || (int) $found[2] > 8 * strlen($address)) {
            return null;
        }
        $bits = str_pad(str_repeat('1', (int) $found[2]), 8 * strlen($address), '0');
        return inet_ntop($address & implode('', array_map(static fn (string $byte): string => chr(bindec($byte)), str_split($bits, 8)))) . "/$found[2]";
    }

    /** @return string|array<string, string> */
    private function identity(): string|array
    {
        return $this->by === null ? $this->id : [$this->by => $this->id];
    }
}

// ---- Access to the page ----

/** Checks the password, keeps the session that follows it, and the token that every form sends back. */
final class Guard
{
    private const LASTS_SECONDS = 12 * 3600;
    /** The name of the limiter of logins. */
    public const LIMITER = 'ratelimit.php';

    private function __construct(private readonly string $password)
    {
    }

    /** Returns null when no password is configured; then there is no page. */
    public static function fromConfiguration(): ?self
    {
        $password = Secret::named('RATELIMIT_PASSWORD');
        return $password === null ? null : new self($password);
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
            'cookie_path' => Page::cookiePath(),
            'cookie_httponly' => true,
            'cookie_samesite' => 'Strict',
            'cookie_secure' => Page::isSecure(),
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
        // Shadows alone: what they refuse is refused here, and is no refusal of the application's.
        $attempts = new Limiter(self::LIMITER, [
            Limit::slidingLog(5, 60)->named('minute')->shadow(),
            Limit::slidingLog(20, 3600)->named('hour')->shadow(),
        ], 'shm:');
        $address = Request::clientAddress();
        try {
            $attempt = $attempts->consume($address);
        } catch (StoreException) {
            $attempt = null;
        }
        if ($attempt === null || $attempt->reason === Reason::StoreUnavailable) {
            http_response_code(503);
            return t('Login is not possible: attempts cannot be counted without shared memory. The reason is in PHP\'s error log.');
        }
        if (!$attempt->accepted || $attempt->shadow !== null) {
            $seconds = (int) ceil($attempt->accepted ? $attempt->resetAfter : $attempt->retryAfter);
            http_response_code(429);
            header("Retry-After: $seconds");
            return t('Too many attempts. Try again in {seconds} s.', seconds: $seconds);
        }
        if (!is_string($password) || !$this->isRight($password)) {
            http_response_code(403);
            return t('The password is wrong.');
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
        return password_get_info($this->password)['algo'] === null
            ? Secret::equals($this->password, $password)
            : password_verify($password, $this->password);
    }

    private function mark(): string
    {
        return hash_hmac('sha256', $this->password, (string) ($_SESSION['token'] ?? ''));
    }
}

/** Reads the page's configuration, and compares its secrets. */
final class Secret
{
    /** Returns a constant or a variable of the environment; null if neither is set. */
    public static function named(string $name): ?string
    {
        $secret = (defined($name) ? constant($name) : null) ?? $_SERVER[$name] ?? getenv($name);
        return is_string($secret) && $secret !== '' ? $secret : null;
    }

    /** Compares in a time that does not depend on the secret's length: hashes have one length. */
    public static function equals(string $secret, string $given): bool
    {
        return hash_equals(hash('sha256', $secret), hash('sha256', $given));
    }
}

/** Serves Monitor::metrics() to a scraper that has the token. */
final class Metrics
{
    private const TOKEN_MIN = 16;

    public static function send(): void
    {
        header('Content-Type: text/plain; charset=utf-8');
        header('Cache-Control: no-store');
        header('X-Content-Type-Options: nosniff');
        $token = Secret::named('RATELIMIT_METRICS_TOKEN');
        if ($token === null || strlen($token) < self::TOKEN_MIN) {
            http_response_code(503);
            printf("ratelimit.php serves metrics once RATELIMIT_METRICS_TOKEN has a token of at least %d characters.\n", self::TOKEN_MIN);
            return;
        }
        if (!Secret::equals($token, self::givenToken())) {
            http_response_code(401);
            header('WWW-Authenticate: Bearer realm="ratelimit"');
            echo "The token is missing or wrong.\n";
            return;
        }
        header('Content-Type: application/openmetrics-text; version=1.0.0; charset=utf-8');
        echo Monitor::metrics();
    }

    private static function givenToken(): string
    {
        $header = $_SERVER['HTTP_AUTHORIZATION'] ?? $_SERVER['REDIRECT_HTTP_AUTHORIZATION'] ?? '';
        return is_string($header) && preg_match('/^Bearer +(\S+) *$/Di', $header, $found) ? $found[1] : '';
    }
}

// ---- The page ----

/** Answers one request: a form's button, the page, or the login. */
final class Page
{
    private const WATCHED_MAX = 20;
    private const BAN_FOR = '1h';

    private readonly string $nonce;

    public function __construct(private readonly Guard $guard)
    {
        $this->nonce = base64_encode(random_bytes(18));
    }

    public function answer(): void
    {
        self::sendHeaders($this->nonce);
        $post = $_SERVER['REQUEST_METHOD'] === 'POST';
        if (!$post && isset($_GET['lang'])) {
            $this->keepLanguage($_GET['lang']);
            $this->comeBack();
            return;
        }
        Text::choose(self::language(), PAGE_CHINESE);
        $isLive = !$post && isset($_GET['live']);
        $this->guard->startSession($isLive);
        if ($post) {
            $this->answerForm();
        } elseif ($isLive) {
            $this->guard->isIn() ? $this->showParts(Monitor::stats(), Row::EMPTY) : http_response_code(401);
        } elseif ($this->guard->isIn()) {
            $this->sendPage();
        } else {
            $this->sendLogin('');
        }
    }

    private function answerForm(): void
    {
        $isLogin = ($_POST['do'] ?? '') === 'login' || (!$this->guard->isIn() && isset($_POST['password']));
        if (!$this->guard->isTokenRight($_POST['token'] ?? null)) {
            http_response_code(403);
            $this->sendLogin(t('The form has expired. Please try again.'));
        } elseif ($isLogin) {
            $refusal = $this->guard->letIn($_POST['password'] ?? null);
            $refusal === null ? $this->comeBack() : $this->sendLogin($refusal);
        } elseif (!$this->guard->isIn()) {
            http_response_code(403);
            $this->sendLogin('');
        } else {
            $this->act(self::field('do'));
            $this->comeBack();
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

    // ---- The language ----

    private function keepLanguage(mixed $language): void
    {
        if (in_array($language, Text::LANGUAGES, true)) {
            setcookie('ratelimit-language', $language, ['expires' => time() + 365 * 86400, 'path' => self::cookiePath(), 'httponly' => true,
                'samesite' => 'Strict', 'secure' => self::isSecure()]);
        }
    }

    /** Returns the chosen language, else the browser's best one. */
    private static function language(): string
    {
        $chosen = $_COOKIE['ratelimit-language'] ?? null;
        if (in_array($chosen, Text::LANGUAGES, true)) {
            return $chosen;
        }
        $best = [0.0, Text::LANGUAGES[0]];
        foreach (explode(',', (string) ($_SERVER['HTTP_ACCEPT_LANGUAGE'] ?? '')) as $range) {
            $language = strtolower(substr(trim($range), 0, 2));
            $quality = preg_match('/;\s*q=([\d.]+)/', $range, $found) ? (float) $found[1] : 1.0;
            if (in_array($language, Text::LANGUAGES, true) && $quality > $best[0]) {
                $best = [$quality, $language];
            }
        }
        return $best[1];
    }

    // ---- Buttons ----

    private function act(string $do): void
    {
        if ($do === 'logout') {
            $this->guard->letOut();
            return;
        }
        $row = Row::sent();
        if ($do === 'hide') {
            $this->hide($row);
            $_SESSION['said'] = ['good', t('Hidden: {name}, {id}.', name: Message::shown($row['name']), id: Message::shown($row['id'])), ['do' => 'look', 'row' => $row]];
            return;
        }
        $named = ['name' => Message::shown($row['name']), 'id' => ($row['by'] === '' ? '' : "$row[by] ") . Message::shown($row['id'])];
        try {
            $counter = Row::counter($row);
            $_SESSION['said'] = match ($do) {
                'look' => $this->look($counter, $row),
                'forget' => $this->forget($counter, $row, $named),
                'unban' => $this->unban($counter, $row, $named),
                'ban' => $this->ban($counter, $row, $named, trim(self::field('for'))),
                default => ['good', t('There is no such button.')],
            };
        } catch (InvalidArgument | StoreException $e) {
            $_SESSION['said'] = ['bad', Message::shown(Message::of($e))];
            $_SESSION['form'] = $do === 'look' ? $row : null;
        }
    }

    /** @return array{string, string} */
    private function look(Counter $counter, array $row): array
    {
        if ($row['limits'] === '' && $counter->isLimiter() && Counter::named($row['name']) === null) {
            throw new InvalidArgument(t('The limits are missing: the file of ratelimit.limiters has no limiter "{name}".', name: $row['name']));
        }
        $counter->peek(); // throws for a counter that cannot be shown
        $this->hide($row);
        $_SESSION['rows'] = array_slice([$row, ...$_SESSION['rows']], 0, self::WATCHED_MAX);
        return ['', ''];
    }

    private function hide(array $row): void
    {
        $_SESSION['rows'] = array_values(array_filter($_SESSION['rows'] ?? [], static fn (array $one): bool => $one !== $row));
    }

    /**
     * @param array{name: string, id: string} $named
     * @return array{string, string, array<string, mixed>} the message's kind and text, and the button that undoes it
     */
    private function ban(Counter $counter, array $row, array $named, string $for): array
    {
        $undo = self::asBefore($counter, $row) ?? ['do' => 'unban', 'row' => $row];
        $isBanned = $counter->ban(LimitText::duration($for), $row['store'] === '');
        self::record("banned for $for from", $row);
        return [...($isBanned ? ['good', t('Banned for {for}: {name}, {id}.', ...$named, for: $for)] : ['bad', "$named[name], $named[id]: " . Message::banPasses()]), $undo];
    }

    /** @return array{0: string, 1: string, 2?: ?array<string, mixed>} */
    private function unban(Counter $counter, array $row, array $named): array
    {
        $undo = self::asBefore($counter, $row);
        if (!$counter->unban()) {
            return ['good', t('There was no ban: {name}, {id}.', ...$named)];
        }
        self::record('lifted the ban from', $row);
        return [...($counter->isBanned() ? ['bad', "$named[name], $named[id]: " . Message::stillBanned()] : ['good', t('The ban is lifted: {name}, {id}.', ...$named)]), $undo];
    }

    /** @return array{0: string, 1: string, 2?: ?array<string, mixed>} */
    private function forget(Counter $counter, array $row, array $named): array
    {
        $undo = self::asBefore($counter, $row);
        if (!$counter->forget()) {
            return ['good', t('There was nothing to forget: {name}, {id}.', ...$named)];
        }
        self::record('reset', $row);
        return ['good', t('Forgotten: {name}, {id}.', ...$named), $undo];
    }

    /** Returns the button that begins the running ban of an identity again, with its end; null: there is none. */
    private static function asBefore(Counter $counter, array $row): ?array
    {
        $result = $counter->peek();
        $isNetwork = $result->store === 'refuse' && Counter::network($row['id']) !== null;
        if ($result->reason !== Reason::Banned || ($result->store === 'refuse' && !$isNetwork)) {
            return null;
        }
        return ['do' => 'ban', 'row' => $isNetwork ? ['store' => ''] + $row : $row, 'for' => ceil($result->retryAfter) . 's'];
    }

    private static function record(string $did, array $row): void
    {
        error_log(Message::record(Request::clientAddress() . ', on the page,', $did, $row['name'], ($row['by'] === '' ? '' : "$row[by] ") . $row['id']));
    }

    private static function field(string $name): string
    {
        return is_string($_POST[$name] ?? null) ? $_POST[$name] : '';
    }

    private function comeBack(): void
    {
        http_response_code(303);
        $search = self::search();
        header('Location: ' . self::path() . ($search === '' ? '' : '?' . http_build_query(['q' => $search])));
    }

    /** Returns what the operator searches for among identities and names. */
    private static function search(): string
    {
        return is_string($_GET['q'] ?? null) ? substr($_GET['q'], 0, 255) : '';
    }

    /** Returns the request's path without the query. It begins with one slash, so that it names no other host. */
    public static function path(): string
    {
        return '/' . ltrim(explode('?', (string) ($_SERVER['REQUEST_URI'] ?? ''), 2)[0], '/\\');
    }

    /** Returns the path for cookies, cut at characters that would begin another attribute of the cookie. */
    public static function cookiePath(): string
    {
        return preg_replace('~[^/]*[;,\s].*~s', '', self::path());
    }

    public static function isSecure(): bool
    {
        return ($_SERVER['HTTPS'] ?? 'off') !== 'off';
    }

    // ---- Answers ----

    private function sendLogin(string $said): void
    {
        $this->begin();
        ?>
<main class="login">
<form class="box" method="post">
<h1>ratelimit</h1>
<?php if ($said !== ''): ?><p class="said bad" role="alert"><?= e($said) ?></p><?php endif ?>
<label><?= e(t('Password')) ?> <input type="password" name="password" autocomplete="current-password" required autofocus></label>
<input type="hidden" name="token" value="<?= $this->guard->token() ?>">
<button class="main" name="do" value="login"><?= e(t('Log in')) ?></button>
</form>
<?php $this->languages() ?>
</main>
<?php
        $this->end();
    }

    private function sendPage(): void
    {
        [$kind, $said, $undo] = ($_SESSION['said'] ?? []) + ['', '', null];
        $form = $_SESSION['form'] ?? Row::of($_GET);
        unset($_SESSION['said'], $_SESSION['form']);
        $stats = Monitor::stats();
        $token = $this->tokenField();
        $this->begin();
        ?>
<header>
<h1>ratelimit <small><?= e(phpversion('ratelimit')) ?></small></h1>
<p><?= e((string) gethostname()) ?> · <code><?= e($stats['store']) ?></code> · PHP <?= PHP_VERSION ?> (<?= PHP_SAPI ?>) · <?= e(t('segment: {segment}', segment: $stats['segment'])) ?></p>
<?php if (($back = Secret::named('RATELIMIT_BACK')) !== null): ?><a class="back" href="<?= e($back) ?>"><?= e(t('Application')) ?></a><?php endif ?>

<?php $this->languages() ?>
<form method="post"><?= $token ?><button class="quiet" name="do" value="logout"><?= e(t('Log out')) ?></button></form>
<?php if ($said !== ''): ?><div class="answered <?= $kind ?>"><p class="said <?= $kind ?>" role="status"><?= e($said) ?></p><?php if ($undo !== null): ?>
<?= Row::form($token, $undo['row'], sprintf('<input type="hidden" name="for" value="%s"><button name="do" value="%s">%s</button>', e($undo['for'] ?? ''), $undo['do'], e(t('Undo')))) ?>
<?php endif ?></div><?php endif ?>
<?php foreach ($stats['warnings'] as $warning): ?>
<p class="warning" role="alert"><?= e(t('Warning: {warning}', warning: $warning)) ?></p>
<?php endforeach ?>
</header>
<main>
<?php $this->showParts($stats, $form) ?>
</main>
<script nonce="<?= $this->nonce ?>">
<?= SCRIPT ?>

</script>
<?php
        $this->end();
    }

    /**
     * Writes the parts between header and script. The page's script asks for them alone: ?live.
     *
     * @param array<string, mixed> $stats
     * @param array<string, string> $form the contents of the form's fields
     */
    private function showParts(array $stats, array $form): void
    {
        $token = $this->tokenField();
        $search = self::search();
        $top = Monitor::top(1000);
        (new LastHour(Monitor::history(), microtime(true), $top))->show();
        ?>
<form class="search" role="search"><label><?= e(t('Search in identities and names')) ?> <input type="search" name="q" maxlength="255" value="<?= e($search) ?>"></label> <button><?= e(t('Search')) ?></button></form>
<?php
        echo '<div class="pair">';
        (new Offenders($token, self::BAN_FOR))->show(Row::found($top, $search), $search);
        Limiters::show(Monitor::limiters());
        echo "</div>\n";
        (new Bans($token))->show(Row::found(Monitor::bans(1000), $search), $search);
        Numbers::showServers($stats['servers']);
        (new Watched($token, $_SESSION['rows'] ?? [], self::BAN_FOR))->show($form);
        Numbers::show($stats);
    }

    private function tokenField(): string
    {
        return '<input type="hidden" name="token" value="' . $this->guard->token() . '">';
    }

    private function languages(): void
    {
        ?>
<nav class="languages" aria-label="Language · 语言"><?php foreach (['en' => 'English', 'zh' => '中文'] as $language => $name): ?>
<a href="?lang=<?= $language ?>" lang="<?= $language ?>"<?= Text::language() === $language ? ' aria-current="true"' : '' ?>><?= $name ?></a>
<?php endforeach ?></nav>
<?php
    }

    private function begin(): void
    {
        ?>
<!DOCTYPE html>
<html lang="<?= Text::language() === 'zh' ? 'zh-CN' : 'en' ?>">
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
}

// ---- The page's parts ----

/** Escapes a text for HTML. */
function e(string $text): string
{
    return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE | ENT_HTML5, 'UTF-8');
}

/** Escapes a name that a client may have chosen. */
function chosen(string $name): string
{
    return e(Message::shown($name));
}

/** Escapes a text, and fills its {places} with HTML. */
function filled(string $text, string ...$html): string
{
    $places = array_map(static fn (string $place): string => '{' . $place . '}', array_keys($html));
    return strtr(e($text), array_combine($places, $html));
}

/** 1234567 → "1,234,567" */
function whole(int|float $number): string
{
    return number_format($number);
}

/** Returns the hour and minute of a moment of this server. */
function hour(float $time): string
{
    return date('H:i', (int) $time);
}

/** Names what a limiter's name in limiters(), top() and bans() is. */
function kind(string $kind): string
{
    return match ($kind) {
        'limiter' => 'Limiter',
        'action' => 'doHandle()',
        'attribute' => t('attribute'),
        default => '',
    };
}

/** The history of the last hour: a sentence that answers what is refused, and a chart. */
final class LastHour
{
    private const SECONDS = 3600, SECONDS_MIN = 30.0, WIDTH = 1200, HEIGHT = 150;
    /** The time without a refusal that ends a series of refusals. */
    private const QUIET_SECONDS = 180;

    /**
     * @param list<array<string, int|float>> $intervals of Monitor::history()
     * @param list<array<string, mixed>> $top of Monitor::top()
     */
    public function __construct(private readonly array $intervals, private readonly float $now, private readonly array $top)
    {
    }

    public function show(): void
    {
        $counts = ['refused' => t('refused'), 'admitted' => t('admitted')];
        $rare = ['banned' => t('bans begun'), 'fallback' => t('decided by ratelimit.on_failure'), 'errors' => t('errors')];
        ?>
<section class="hour" data-live="hour">
<h2 class="answer"><?= $this->answer() ?></h2>
<p class="first"><?= $this->first() ?></p>
<?php if (($without = $this->withoutStore()) !== ''): ?><p class="alarm"><?= $without ?></p><?php endif ?>

<figure>
<div class="plot"><svg role="img" aria-label="<?= e(t('Decisions a minute in the last hour')) ?>" viewBox="0 0 <?= self::WIDTH ?> <?= self::HEIGHT ?>" preserveAspectRatio="none"><?= $this->bars() ?></svg>
<span class="most"><?= e(t('{n} a minute', n: whole($this->ceiling()))) ?></span></div>
<p class="times"><?php for ($ago = self::SECONDS; $ago >= 0; $ago -= 900): ?><span><?= hour($this->now - $ago) ?></span><?php endfor ?></p>
<figcaption><?php foreach ($counts as $key => $word): ?><span class="key <?= $key ?>"><?= e($word) ?> <b><?= whole($this->sum($key)) ?></b></span> <?php endforeach ?>
<?php foreach ($rare as $key => $word): ?><span<?= $key !== 'banned' && $this->sum($key) > 0 ? ' class="alarm"' : '' ?>><?= e($word) ?> <b><?= whole($this->sum($key)) ?></b></span> <?php endforeach ?></figcaption>
</figure>
</section>
<?php
    }

    public function sum(string $key): int
    {
        if ($key === 'admitted') {
            return $this->sum('decisions') - $this->sum('refused');
        }
        return array_sum(array_column($this->intervals, $key));
    }

    /** Returns since when calls are being refused; null: none was of late. */
    public function refusedSince(): ?float
    {
        // The list of identities and this sentence are about the same calls.
        $last = max([0.0, ...array_column($this->top, 'last')]);
        if (ini_get('ratelimit.top') !== '0' && $this->now - $last >= self::QUIET_SECONDS) {
            return null;
        }
        [$since, $end] = [null, $this->now];
        foreach (array_reverse($this->intervals) as $interval) {
            if ($interval['refused'] > 0) {
                $since = $end = $interval['time'];
            } elseif ($end - $interval['time'] >= self::QUIET_SECONDS) {
                break;
            }
        }
        return $since ?? ($last > 0 ? $last : null);
    }

    private function answer(): string
    {
        [$decisions, $refused, $since] = [$this->sum('decisions'), $this->sum('refused'), $this->refusedSince()];
        if ($decisions === 0) {
            return e(t('No call was decided in the last hour.'));
        }
        $values = ['n' => whole($decisions), 'refused' => '<b>' . whole($refused) . '</b>',
            'share' => sprintf('%.1f', 100 * $refused / $decisions), 'since' => $since === null ? '' : '<b>' . hour($since) . '</b>'];
        return filled(match (true) {
            $refused === 0 => t('None of the {n} calls of the last hour was refused.'),
            $since === null => t('{refused} of the {n} calls of the last hour were refused ({share} %), none of late.'),
            default => t('Calls are being refused since {since}: {refused} of the {n} of the last hour ({share} %).'),
        }, ...$values);
    }

    /** Says what was decided without Redis in the last hour, and since when; '': nothing. */
    private function withoutStore(): string
    {
        $decided = array_filter($this->intervals, static fn (array $interval): bool => $interval['fallback'] > 0);
        if ($decided === []) {
            return '';
        }
        ['permits_owed' => $owed, 'permits_told' => $told] = Monitor::stats();
        return filled(t('{n} calls were decided without Redis, the first at {since}. Of {owed} permits that passed so, Redis has counted {told} by now.'),
            n: '<b>' . whole($this->sum('fallback')) . '</b>', since: hour(min(array_column($decided, 'time'))), owed: whole($owed), told: whole($told));
    }

    /** Names the identity that is refused most, if calls are being refused, and one is it for sure. */
    private function first(): string
    {
        [$first, $second] = $this->top + [null, ['refusals' => 0, 'error' => 0]];
        if ($first === null || $this->refusedSince() === null || $first['refusals'] - $first['error'] <= $second['refusals'] + $second['error']) {
            return '';
        }
        $by = $first['limit'] === null ? $first['name'] : "$first[name], $first[limit]";
        return filled(t('Refused most: {identity}, by {by}, last {ago}.'), identity: '<code>' . chosen((string) $first['identity']) . '</code>',
            by: '<b>' . chosen($by) . '</b>', ago: e(self::ago($first['last'])));
    }

    public static function ago(float $time): string
    {
        $seconds = max(0, (int) (microtime(true) - $time));
        return t('{t} ago', t: $seconds < 60 ? t('{n} s', n: $seconds) : Text::duration($seconds));
    }

    /** Returns the rate of an interval, a minute. One that has just begun has no rate of its own yet. */
    private static function rate(array $interval, string $key): float
    {
        return 60 * $interval[$key] / max($interval['seconds'], self::SECONDS_MIN);
    }

    /** Returns the chart's highest number: 1, 2 or 5 times a power of ten. */
    private function ceiling(): int
    {
        $most = max(10, 0, ...array_map(static fn (array $interval): float => self::rate($interval, 'decisions'), $this->intervals));
        $step = 10 ** (int) floor(log10($most));
        return $step * ($most <= $step ? 1 : ($most <= 2 * $step ? 2 : ($most <= 5 * $step ? 5 : 10)));
    }

    private function bars(): string
    {
        [$svg, $scale, $from] = ['', self::HEIGHT / $this->ceiling(), $this->now - self::SECONDS];
        foreach ($this->intervals as $interval) {
            [$all, $refused] = [self::rate($interval, 'decisions'), self::rate($interval, 'refused')];
            $left = max(0.0, $interval['time'] - $from) * self::WIDTH / self::SECONDS;
            $right = min((float) self::SECONDS, $interval['time'] + $interval['seconds'] - $from) * self::WIDTH / self::SECONDS;
            if ($right <= $left || $all <= 0) {
                continue;
            }
            $title = t('{time}: {n} a minute, {refused} refused', time: hour($interval['time']), n: whole($all), refused: whole($refused));
            $svg .= '<g><title>' . e($title) . '</title>';
            foreach (['admitted' => [$refused, $all], 'refused' => [0.0, $refused]] as $class => [$low, $high]) {
                $svg .= sprintf('<rect class="%s" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>', $class, $left, self::HEIGHT - $high * $scale,
                    max(1.0, $right - $left - 2), ($high - $low) * $scale);
            }
            $svg .= '</g>';
        }
        return $svg;
    }
}

/** The identity of a row, with its buttons: the fields of a form, by name. */
final class Row
{
    /** "store" is "own" or "general" in rows of top() and bans(), and "" in what the operator looks up. */
    public const EMPTY = ['name' => '', 'id' => '', 'by' => '', 'limits' => '', 'kind' => '', 'store' => ''];

    /** @param array<mixed> $fields */
    public static function of(array $fields): array
    {
        return array_filter(array_intersect_key($fields, self::EMPTY), is_string(...)) + self::EMPTY;
    }

    /** Returns the fields of the form that was sent. Those of a row are one field, in which each byte stays as it is. */
    public static function sent(): array
    {
        $fields = $_POST;
        if (is_string($_POST['row'] ?? null)) {
            parse_str($_POST['row'], $fields);
        }
        $row = array_merge(self::EMPTY, self::of($fields));
        return array_merge($row, ['limits' => trim($row['limits'])]);
    }

    /** @throws InvalidArgument */
    public static function counter(array $row): Counter
    {
        return Counter::of($row['name'], $row['id'], LimitText::split($row['limits']), $row['kind'] === 'limiter', $row['by'] === '' ? null : $row['by'],
            $row['store'] === '' ? null : $row['store'] === 'own');
    }

    public static function form(string $token, array $row, string $buttons): string
    {
        return sprintf('<form method="post">%s<input type="hidden" name="row" value="%s">%s</form>', $token, e(http_build_query($row)), $buttons);
    }

    /** Returns the fields of a row of top() and bans(); null where no button can act: a name that was cut, a store that is not known here. */
    public static function seen(array $seen): ?array
    {
        $isCut = str_ends_with((string) $seen['identity'], '…') || str_ends_with($seen['name'], '…');
        if ($isCut) {
            return null;
        }
        $kind = $seen['kind'] === 'action' ? '' : 'limiter'; // an attribute's count is a Limiter's
        $row = ['name' => $seen['name'], 'id' => (string) $seen['identity'], 'by' => (string) $seen['by'], 'kind' => $kind,
            'store' => $seen['elsewhere'] ? 'own' : 'general'] + self::EMPTY;
        try {
            self::counter($row);
        } catch (InvalidArgument) {
            return null;
        }
        return $row;
    }

    /** Returns a link that fills the form in; none for a text that its fields cannot hold, or where the form would mean another Limiter. */
    public static function lookUp(array $row): string
    {
        $text = trim("$row[name]$row[id]", ' ');
        if (Message::shown($text) !== $text
            || ($row['store'] === 'general' && $row['kind'] === 'limiter' && Counter::hasStore(Counter::named($row['name'])))) {
            return '';
        }
        return sprintf('<a class="button" href="?%s#look">%s</a>', e(http_build_query(array_filter(['store' => ''] + $row, 'strlen'))), e(t('Look up')));
    }

    /** Returns the rows of top() or bans() that have a text in their identity, name or label. */
    public static function found(array $rows, string $search): array
    {
        $has = static fn (array $row): bool => stripos("$row[identity]\n$row[name]\n$row[by]", $search) !== false;
        return $search === '' ? $rows : array_values(array_filter($rows, $has));
    }

    /** Returns what is small behind a name: the limit or the kind, and that its store is not the general one. */
    public static function place(array $row, string $what): string
    {
        return '<small>' . chosen($what) . '</small>' . ($row['elsewhere'] ? ' <small>' . e(t('with a store of its own')) . '</small>' : '');
    }

    /** Returns the identity, and its label. */
    public static function identity(string $id, ?string $by): string
    {
        return '<code>' . chosen($id) . '</code>' . ((string) $by === '' ? '' : ' <small>' . e($by) . '</small>');
    }
}

/** The identities that are refused most. */
final class Offenders
{
    public const ROWS = 10;

    public function __construct(private readonly string $token, private readonly string $banFor)
    {
    }

    /** @param list<array<string, mixed>> $rows of Monitor::top(), those that are found */
    public function show(array $rows, string $search): void
    {
        $none = $search !== '' ? t('Nothing is found.') : t('Nobody was refused of late.');
        ?>
<section class="top" data-live="top">
<h2><?= e(t('Refused most')) ?> <small><?= e(t('in the last minutes, on this machine')) ?></small></h2>
<?php if ($rows === []): ?>
<p class="none"><?= e(ini_get('ratelimit.top') === '0' ? t('ratelimit.top is 0: identities are not kept.') : $none) ?></p>
<?php else: ?>
<table class="rows"><thead><tr><th><?= e(t('Identity')) ?></th><th><?= e(t('Refused by')) ?></th><th class="n"><?= e(t('Refusals')) ?></th><th><?= e(t('Last')) ?></th><td></td></tr></thead><tbody>
<?php foreach (array_slice($rows, 0, self::ROWS) as $row): ?>
<tr><td data-label="<?= e(t('Identity')) ?>"><span><?= Row::identity((string) $row['identity'], $row['by']) ?></span></td>
<td data-label="<?= e(t('Refused by')) ?>"><span><?= chosen($row['name']) ?> <?= Row::place($row, $row['limit'] ?? kind($row['kind'])) ?></span></td>
<td data-label="<?= e(t('Refusals')) ?>" class="n"><span><?= whole($row['refusals']) ?><?php if ($row['error'] > 0): ?> <small>± <?= whole($row['error']) ?></small><?php endif ?></span></td>
<td data-label="<?= e(t('Last')) ?>" class="time"><?= e(LastHour::ago($row['last'])) ?></td>
<td class="do"><?= $this->buttons($row) ?></td></tr>
<?php endforeach ?>
</tbody></table>
<?php endif ?>
</section>
<?php
    }

    private function buttons(array $row): string
    {
        $fields = Row::seen($row);
        if ($fields === null) {
            return '';
        }
        $ban = sprintf('<input type="hidden" name="for" value="%s"><button name="do" value="ban">%s</button>', $this->banFor, e(t('Ban for {for}', for: $this->banFor)));
        return Row::form($this->token, $fields, Row::lookUp($fields) . $ban);
    }
}

/** The counters of limiters(): each limiter's, and below it those of its limits. */
final class Limiters
{
    private const ROWS = 12;

    /** @param list<array<string, mixed>> $rows of Monitor::limiters() */
    public static function show(array $rows): void
    {
        $own = array_filter($rows, static fn (array $row): bool => $row['name'] === Guard::LIMITER);
        $rows = array_diff_key($rows, $own);
        $own = array_map(static fn (array $row): array => ['limits' => array_map(self::asRefused(...), $row['limits'])] + self::asRefused($row), $own);
        ?>
<section class="limits" data-live="limits">
<h2><?= e(t('By limit')) ?> <small><?= e(t('since the segment was made')) ?></small></h2>
<?php if ($rows + $own === []): ?>
<p class="none"><?= e(t('No limiter has decided yet.')) ?></p>
<?php else: ?>
<table class="rows"><thead><tr><th><?= e(t('Limiter, limit')) ?></th><th class="n"><?= e(t('Decisions')) ?></th><th class="n"><?= e(t('Refused')) ?></th><th><?= e(t('Besides')) ?></th></tr></thead><tbody>
<?php foreach ([...array_slice($rows, 0, self::ROWS), ...$own] as $row): ?>
<tr><th scope="row"><?= $row['kind'] === 'other' ? e(t('all others')) : ($row['name'] === Guard::LIMITER ? e(t('logins of this page')) : chosen($row['name'])) ?> <small><?= e(kind($row['kind'])) ?></small></th>
<td data-label="<?= e(t('Decisions')) ?>" class="n"><?= isset($row['decisions']) ? whole($row['decisions']) : '–' ?></td>
<td data-label="<?= e(t('Refused')) ?>" class="n"><span><?= whole($row['refused']) ?> <?= self::share($row) ?></span></td>
<td data-label="<?= e(t('Besides')) ?>"><?= e(self::besides($row)) ?></td></tr>
<?php foreach ($row['limits'] as $limit): ?>
<tr class="part"><th scope="row"><?= chosen($limit['name']) ?></th><td class="n"></td><td data-label="<?= e(t('Refused')) ?>" class="n"><?= whole($limit['refused']) ?></td><td data-label="<?= e(t('Besides')) ?>"><?= e(self::besides($limit)) ?></td></tr>
<?php endforeach ?>
<?php endforeach ?>
</tbody></table>
<?php if (count($rows) > self::ROWS): ?><p class="note"><?= e(t('{n} more, which refused less: metrics() and the command "ratelimit top" have all.', n: count($rows) - self::ROWS)) ?></p><?php endif ?>
<?php if (in_array('action', array_column($rows, 'kind'), true)): ?><p class="note"><?= e(t('–: of doHandle() only refusals are counted by name; a named limiter counts both.')) ?></p><?php endif ?>
<?php endif ?>
</section>
<?php
    }

    /** Returns the counts of this page's shadow limits, which refuse. */
    private static function asRefused(array $row): array
    {
        return ['refused' => $row['shadow'], 'shadow' => 0] + $row;
    }

    private static function share(array $row): string
    {
        return ($row['decisions'] ?? 0) === 0 ? '' : sprintf('<small>%.1f %%</small>', 100 * $row['refused'] / $row['decisions']);
    }

    /** Returns the numbers that are not 0, beside decisions and refusals. */
    private static function besides(array $row): string
    {
        $words = ['banned' => t('bans'), 'shadow' => t('shadow'), 'near' => t('near the limit'), 'fallback' => t('by on_failure'),
            'errors' => t('errors')];
        $parts = [];
        foreach ($words as $key => $word) {
            if (($row[$key] ?? 0) > 0) {
                $parts[] = "$word " . whole($row[$key]);
            }
        }
        return implode(', ', $parts);
    }
}

/** The running bans of this machine. */
final class Bans
{
    private const ROWS = 50;

    public function __construct(private readonly string $token)
    {
    }

    /** @param list<array<string, mixed>> $rows of Monitor::bans(), those that are found */
    public function show(array $rows, string $search): void
    {
        ?>
<section class="bans" data-live="bans">
<h2><?= e(t('Running bans')) ?> <small><?= e(t('begun on this machine')) ?></small></h2>
<?php if ($rows === []): ?>
<p class="none"><?= e($search !== '' ? t('Nothing is found.') : t('Nobody is banned.')) ?></p>
<?php else: ?>
<table class="rows"><thead><tr><th><?= e(t('Identity')) ?></th><th><?= e(t('Banned from')) ?></th><th><?= e(t('Ends in')) ?></th><td></td></tr></thead><tbody>
<?php foreach (array_slice($rows, 0, self::ROWS) as $row): ?>
<tr><td data-label="<?= e(t('Identity')) ?>"><span><?= Row::identity((string) $row['identity'], $row['by']) ?></span></td>
<td data-label="<?= e(t('Banned from')) ?>"><span><?= chosen($row['name']) ?> <?= Row::place($row, kind($row['kind'])) ?></span></td>
<td data-label="<?= e(t('Ends in')) ?>"><span><?= Text::duration(max(0.0, $row['end'] - microtime(true))) ?><?php if ($row['level'] > 1): ?> <small><?= e(t('ban no. {n}', n: $row['level'])) ?></small><?php endif ?></span></td>
<td class="do"><?= $this->buttons($row) ?></td></tr>
<?php endforeach ?>
</tbody></table>
<?php if (count($rows) > self::ROWS): ?><p class="note"><?= e(t('The {n} that end last. The search finds the others.', n: self::ROWS)) ?></p><?php endif ?>
<?php endif ?>
</section>
<?php
    }

    private function buttons(array $row): string
    {
        $fields = Row::seen($row);
        return $fields === null ? '' : Row::form($this->token, $fields, sprintf('<button name="do" value="unban">%s</button>', e(t('Lift the ban'))));
    }
}

/** The identities that were looked up. */
final class Watched
{
    /** @param list<array<string, string>> $rows */
    public function __construct(private readonly string $token, private readonly array $rows, private readonly string $banFor)
    {
    }

    /** @param array<string, string> $form the contents of the form's fields */
    public function show(array $form): void
    {
        ?>
<section class="watched" id="look">
<h2><?= e(t('Look up an identity')) ?></h2>
<form class="look" method="post"><?= $this->token ?>

<label><?= e(t('Action, or limiter')) ?> <input name="name" required maxlength="255" placeholder="comment" value="<?= e($form['name']) ?>"></label>
<label><?= e(t('Identity')) ?> <input name="id" required maxlength="255" placeholder="7" value="<?= e($form['id']) ?>"></label>
<label><?= e(t('Its label')) ?> <input name="by" maxlength="64" value="<?= e($form['by']) ?>"></label>
<label class="wide"><?= e(t('Limits')) ?> <input name="limits" maxlength="500" placeholder="10/30s" value="<?= e($form['limits']) ?>"></label>
<label class="check"><input type="checkbox" name="kind" value="limiter"<?= $form['kind'] === 'limiter' ? ' checked' : '' ?>> <?= e(t('it is a Limiter')) ?></label>
<button class="main" name="do" value="look"><?= e(t('Look up')) ?></button>
<details><summary><?= e(t('How to write limits')) ?></summary><pre><?= e(LimitText::grammar()) ?></pre>
<p><?= e(t('Separate several limits by blanks. A limiter of the file of ratelimit.limiters needs none. Without limits, an action shows its ban alone. A label is that of by(), where each limit has an identity of its own.')) ?></p></details>
</form>
<table class="rows" data-live="watched"<?= $this->rows === [] ? ' hidden' : '' ?>><thead><tr><th><?= e(t('Name')) ?></th><th><?= e(t('Identity')) ?></th><th><?= e(t('Limits')) ?></th><th><?= e(t('State')) ?></th><td></td></tr></thead><tbody>
<?php array_map($this->showRow(...), $this->rows) ?>
</tbody></table>
</section>
<?php
    }

    private function showRow(array $row): void
    {
        ['state' => $state, 'word' => $word, 'left' => $left, 'seconds' => $seconds, 'hint' => $hint] = self::state($row);
        ?>
<tr><td data-label="<?= e(t('Name')) ?>"><?= chosen($row['name']) ?></td><td data-label="<?= e(t('Identity')) ?>"><?= Row::identity($row['id'], $row['by']) ?></td><td data-label="<?= e(t('Limits')) ?>"><?= chosen($row['limits']) ?></td>
<td data-label="<?= e(t('State')) ?>"><span><b class="state <?= $state ?>"><?= e($word) ?></b> <?php if ($seconds !== null): ?><time datetime="PT<?= round($seconds, 3) ?>S"><?= e($state === 'free' ? t('all back in {t}', t: Text::duration($seconds)) : t('for {t}', t: Text::duration($seconds))) ?></time><?php endif ?> <span class="left"><?= e($left) ?></span> <small class="hint"><?= e($hint) ?></small></span></td>
<td class="do"><?= Row::form($this->token, $row, $this->buttons($state)) ?></td></tr>
<?php
    }

    private function buttons(string $state): string
    {
        return ($state === 'banned' ? sprintf('<button name="do" value="unban">%s</button>', e(t('Lift the ban'))) : '')
            . sprintf('<span class="joined"><button name="do" value="ban">%s</button><input name="for" value="%s" size="3" aria-label="%s"></span>', e(t('Ban for')), $this->banFor, e(t('how long')))
            . sprintf('<button name="do" value="forget">%s</button><button class="quiet" name="do" value="hide">%s</button>', e(t('Forget')), e(t('Hide')));
    }

    /** @return array{state: string, word: string, left: string, seconds: ?float, hint: string} seconds until the state changes */
    private static function state(array $row): array
    {
        $limits = $row['limits'];
        try {
            $counter = Row::counter($row);
            $result = $counter->peek();
        } catch (InvalidArgument | StoreException $e) {
            return ['state' => 'unknown', 'word' => '?', 'left' => Message::of($e), 'seconds' => null, 'hint' => ''];
        }
        $isLimiter = $counter->isLimiter();
        $left = $result->accepted ? min($result->remaining + 1, $result->limit) : 0;
        $isUntouched = $result->accepted && $left === $result->limit;
        $isBanAlone = $limits === '' && !$isLimiter; // without its limits only a ban of an action can be shown
        $state = match (true) {
            $result->reason === Reason::Banned => 'banned',
            $isUntouched => 'untouched',
            $result->accepted || $isBanAlone => 'free',
            default => 'limited',
        };
        return [
            'state' => $state,
            'word' => $isBanAlone && $state !== 'banned' ? t('not banned') : self::word($state),
            'left' => $isBanAlone ? '' : self::left($result, $left, $limits),
            'seconds' => $result->accepted ? ($isUntouched || $isBanAlone ? null : $result->resetAfter) : ($isBanAlone && $state !== 'banned' ? null : $result->retryAfter),
            'hint' => $isUntouched ? self::hint($row['name'], $isLimiter) : '',
        ];
    }

    private static function word(string $state): string
    {
        return match ($state) {
            'banned' => t('banned'),
            'untouched' => t('nothing counted'),
            'free' => t('free'),
            default => t('limited'),
        };
    }

    private static function left(Result $result, int|float $left, string $limits): string
    {
        // A concurrent limit that stands alone shows the places that are held.
        $isPlaces = preg_match('/^\s*concurrent:\S+\s*$/D', $limits) === 1;
        $count = $isPlaces
            ? t('{n} of {limit} held', n: $result->limit - $left, limit: $result->limit)
            : t('{n} of {limit} left', n: $left, limit: $result->limit);
        return $count . ($result->name === null ? '' : " ($result->name)") . ($result->store === 'local' ? t(', on this machine alone') : '');
    }

    /** Returns why nothing may be counted under a name: it is of another kind, or nobody has used it. */
    private static function hint(string $name, bool $isLimiter): string
    {
        return match (true) {
            !Counter::isOfOtherKind($name, $isLimiter) => '',
            $isLimiter => t('an action has this name, and no Limiter'),
            default => t('a Limiter has this name: tick the box'),
        };
    }
}

/** The numbers of stats(), and the Redis servers. */
final class Numbers
{
    /** @return array<string, string> what each number of stats() means */
    private static function meanings(): array
    {
        return [
            'decisions' => t('decisions of the embedded store'),
            'refusals' => t('refusals among them'),
            'bans' => t('bans that these refusals began'),
            'evictions' => t('live states lost for lack of room: should stay near 0'),
            'bans_evicted' => t('running bans among them: should be 0'),
            'errors' => t('decisions that the embedded store could not make: should be 0'),
            'redis_decisions' => t('decisions of Redis'),
            'redis_refusals' => t('refusals among them'),
            'redis_errors' => t('questions that Redis did not answer: should not grow'),
            'cached' => t('refusals of Redis from the deny cache'),
            'leased' => t('decisions from permits that Redis had leased to this machine'),
            'places_unnoted' => t('places in Redis that only their end frees if their worker is killed: should be 0'),
            'fallbacks' => t('decisions by ratelimit.on_failure: should not grow'),
            'permits_owed' => t('permits that passed while Redis was away, without a request to it'),
            'permits_told' => t('of them counted by Redis afterwards'),
            'permits_lost' => t('of them not counted by Redis: the reply was lost'),
            'workers' => t('processes and threads that have made decisions'),
            'slots' => t('identities that the table has room for'),
            'slots_used' => t('entries that were ever used; ended ones are used again'),
            'records' => t('bytes for states that are larger than an entry'),
            'records_used' => t('bytes of them in use'),
            'bytes' => t('bytes of shared memory'),
        ];
    }

    /** @param array<string, mixed> $stats */
    public static function show(array $stats): void
    {
        ?>
<details class="numbers"><summary><?= e(t('All numbers')) ?></summary>
<table class="rows" data-live="numbers"><tbody>
<?php foreach (array_filter($stats, is_int(...)) as $key => $value): ?>
<tr<?= in_array($key, ['evictions', 'bans_evicted', 'errors', 'redis_errors', 'fallbacks'], true) && $value > 0 ? ' class="alarm"' : '' ?>><th scope="row"><?= e($key) ?></th><td class="n"><?= whole($value) ?></td><td><?= e(self::meanings()[$key] ?? '') ?></td></tr>
<?php endforeach ?>
</tbody></table></details>
<?php
    }

    /** @param list<array<string, mixed>> $servers */
    public static function showServers(array $servers): void
    {
        $words = ['closed' => t('closed: answers'), 'open' => t('open: not asked'), 'half-open' => t('half-open: one probe')];
        ?>
<section class="servers" data-live="servers"<?= $servers === [] ? ' hidden' : '' ?>>
<h2>Redis</h2>
<table class="rows"><thead><tr><th><?= e(t('Server')) ?></th><th><?= e(t('Circuit breaker')) ?></th><th><?= e(t('Since')) ?></th><th class="n"><?= e(t('Latency')) ?></th><th class="n"><?= e(t('Failures')) ?></th></tr></thead><tbody>
<?php foreach ($servers as $server): ?>
<tr><td data-label="<?= e(t('Server')) ?>"><code><?= e($server['server']) ?></code></td><td data-label="<?= e(t('Circuit breaker')) ?>"><b class="state <?= e($server['state']) ?>"><?= e($words[$server['state']] ?? $server['state']) ?></b></td>
<td data-label="<?= e(t('Since')) ?>"><?= Text::duration($server['since']) ?></td><td data-label="<?= e(t('Latency')) ?>" class="n"><?= sprintf('%.2f ms', $server['latency'] * 1000) ?></td><td data-label="<?= e(t('Failures')) ?>" class="n"><?= whole($server['failures']) ?></td></tr>
<?php endforeach ?>
</tbody></table>
</section>
<?php
    }
}

/** The Chinese of the page's texts. */
const PAGE_CHINESE = [
    // Login
    'Password' => '密码',
    'Log in' => '登录',
    'Log out' => '退出',
    'The password is wrong.' => '密码错误。',
    'The form has expired. Please try again.' => '表单已过期，请重试。',
    'Too many attempts. Try again in {seconds} s.' => '尝试次数过多，请 {seconds} 秒后再试。',
    'Login is not possible: attempts cannot be counted without shared memory. The reason is in PHP\'s error log.'
        => '无法登录：没有共享内存，就无法统计尝试次数。原因见 PHP 的错误日志。',
    // Header
    'segment: {segment}' => '共享内存段：{segment}',
    'Application' => '应用',
    'Warning: {warning}' => '警告：{warning}',
    // Buttons
    'Look up' => '查询',
    'Lift the ban' => '解除封禁',
    'Ban for' => '封禁',
    'Ban for {for}' => '封禁 {for}',
    'how long' => '多久',
    'Forget' => '清除',
    'Hide' => '隐藏',
    'Forgotten: {name}, {id}.' => '已清除计数和封禁：{name}，{id}。',
    'There was nothing to forget: {name}, {id}.' => '没有可清除的内容：{name}，{id}。',
    'The ban is lifted: {name}, {id}.' => '已解除封禁：{name}，{id}。',
    'There was no ban: {name}, {id}.' => '没有封禁：{name}，{id}。',
    'Banned for {for}: {name}, {id}.' => '已封禁 {for}：{name}，{id}。',
    'Hidden: {name}, {id}.' => '已隐藏：{name}，{id}。',
    'Undo' => '撤销',
    'Search' => '搜索',
    'Search in identities and names' => '在标识和名称中搜索',
    'Nothing is found.' => '没有找到。',
    'with a store of its own' => '使用自己的存储',
    'There is no such button.' => '没有这个按钮。',
    'The limits are missing: the file of ratelimit.limiters has no limiter "{name}".'
        => '缺少限制：ratelimit.limiters 的文件中没有名为“{name}”的限流器。',
    // The last hour
    'refused' => '拒绝',
    'admitted' => '放行',
    'bans begun' => '新封禁',
    'decided by ratelimit.on_failure' => '由 ratelimit.on_failure 判定',
    'errors' => '错误',
    'Decisions a minute in the last hour' => '最近一小时每分钟的判定次数',
    '{n} a minute' => '每分钟 {n} 次',
    '{time}: {n} a minute, {refused} refused' => '{time}：每分钟 {n} 次，拒绝 {refused} 次',
    'No call was decided in the last hour.' => '最近一小时没有判定任何调用。',
    'None of the {n} calls of the last hour was refused.' => '最近一小时的 {n} 次调用全部放行。',
    '{refused} of the {n} calls of the last hour were refused ({share} %), none of late.'
        => '最近一小时的 {n} 次调用中拒绝了 {refused} 次（{share} %），目前没有拒绝。',
    'Calls are being refused since {since}: {refused} of the {n} of the last hour ({share} %).'
        => '自 {since} 起有调用被拒绝：最近一小时 {n} 次中拒绝了 {refused} 次（{share} %）。',
    '{n} calls were decided without Redis, the first at {since}. Of {owed} permits that passed so, Redis has counted {told} by now.'
        => '有 {n} 次调用是在没有 Redis 时判定的，第一次在 {since}。其中放行的 {owed} 个许可，Redis 现已计入 {told} 个。',
    'Refused most: {identity}, by {by}, last {ago}.' => '被拒绝最多的是 {identity}，拒绝它的限制：{by}，最近一次在 {ago}。',
    '{t} ago' => '{t}前',
    '{n} s' => '{n} 秒',
    // Refused most
    'Refused most' => '被拒绝最多的',
    'in the last minutes, on this machine' => '最近几分钟，本机',
    'ratelimit.top is 0: identities are not kept.' => 'ratelimit.top 为 0：不记录标识。',
    'Nobody was refused of late.' => '最近没有被拒绝的调用方。',
    'Identity' => '标识',
    'Refused by' => '由哪条限制拒绝',
    'Refusals' => '拒绝次数',
    'Last' => '最近一次',
    // By limit
    'By limit' => '按限制统计',
    'since the segment was made' => '自共享内存段创建以来',
    'No limiter has decided yet.' => '还没有限流器作出过判定。',
    'Limiter, limit' => '限流器与限制',
    'attribute' => '注解',
    'Decisions' => '判定',
    'Refused' => '拒绝',
    'Besides' => '其他',
    'logins of this page' => '本页的登录',
    'all others' => '其余全部',
    'bans' => '封禁',
    'shadow' => '影子限制',
    'near the limit' => '接近上限',
    'by on_failure' => '由 on_failure 判定',
    '–: of doHandle() only refusals are counted by name; a named limiter counts both.'
        => '–：doHandle() 只按名称统计拒绝；命名限流器两者都统计。',
    '{n} more, which refused less: metrics() and the command "ratelimit top" have all.'
        => '另有 {n} 个，拒绝得更少：metrics() 和命令 ratelimit top 列出全部。',
    // Bans
    'Running bans' => '生效中的封禁',
    'begun on this machine' => '在本机开始的',
    'Nobody is banned.' => '没有封禁。',
    'Banned from' => '封禁范围',
    'Ends in' => '剩余时间',
    'ban no. {n}' => '第 {n} 级',
    'The {n} that end last. The search finds the others.' => '最后结束的 {n} 条。其他的可以用搜索找到。',
    // Redis
    'Server' => '服务器',
    'Circuit breaker' => '熔断器',
    'Since' => '持续',
    'Latency' => '延迟',
    'Failures' => '失败',
    'closed: answers' => '关闭：有应答',
    'open: not asked' => '打开：不再访问',
    'half-open: one probe' => '半开：由一个请求试探',
    // Look up
    'Look up an identity' => '查询一个标识',
    'Action, or limiter' => '操作或限流器',
    'Limits' => '限制',
    'Its label' => '标识的标签',
    'it is a Limiter' => '是 Limiter',
    'How to write limits' => '限制的写法',
    'Separate several limits by blanks. A limiter of the file of ratelimit.limiters needs none. Without limits, an action shows its ban alone. A label is that of by(), where each limit has an identity of its own.'
        => '多条限制用空格分开。ratelimit.limiters 文件中的限流器不必填写。操作不填限制时，只显示它的封禁。每条限制各有标识时，标签是 by() 的参数。',
    'Name' => '名称',
    'State' => '状态',
    'all back in {t}' => '{t} 后全部恢复',
    'for {t}' => '还有 {t}',
    'not banned' => '未封禁',
    'banned' => '已封禁',
    'nothing counted' => '没有计数',
    'free' => '可用',
    'limited' => '已达上限',
    '{n} of {limit} held' => '已占用 {n}，上限 {limit}',
    '{n} of {limit} left' => '剩 {n}，上限 {limit}',
    ', on this machine alone' => '，仅限本机',
    'an action has this name, and no Limiter' => '有同名的操作，没有同名的 Limiter',
    'a Limiter has this name: tick the box' => '有同名的 Limiter：请勾选“是 Limiter”',
    // Numbers
    'All numbers' => '全部数值',
    'decisions of the embedded store' => '由共享内存作出的判定',
    'refusals among them' => '其中的拒绝',
    'bans that these refusals began' => '这些拒绝开始的封禁',
    'live states lost for lack of room: should stay near 0' => '因空间不足而淘汰的活跃状态：应接近 0',
    'running bans among them: should be 0' => '其中仍在生效的封禁：应为 0',
    'decisions that the embedded store could not make: should be 0' => '共享内存无法作出的判定：应为 0',
    'decisions of Redis' => '由 Redis 作出的判定',
    'questions that Redis did not answer: should not grow' => 'Redis 没有应答的请求：不应增长',
    'refusals of Redis from the deny cache' => '由拒绝缓存给出的 Redis 拒绝',
    'places in Redis that only their end frees if their worker is killed: should be 0' => 'Redis 中仅在到期时释放的名额（其工作进程被杀时）：应为 0',
    'decisions from permits that Redis had leased to this machine' => '用租约领取的许可作出的判定',
    'permits that passed while Redis was away, without a request to it' => 'Redis 不可用时未经请求而放行的许可',
    'of them counted by Redis afterwards' => '其中 Redis 事后计入的',
    'of them not counted by Redis: the reply was lost' => '其中 Redis 没有计入的：回复丢失',
    'decisions by ratelimit.on_failure: should not grow' => '降级判定，由 ratelimit.on_failure 作出：不应增长',
    'processes and threads that have made decisions' => '作出过判定的进程和线程',
    'identities that the table has room for' => '哈希表能容纳的标识数',
    'entries that were ever used; ended ones are used again' => '曾经用过的槽位；已结束的会重复使用',
    'bytes for states that are larger than an entry' => '用于放不进槽位的状态的字节数',
    'bytes of them in use' => '其中已使用的字节数',
    'bytes of shared memory' => '共享内存段的字节数',
];

const STYLE = <<<'CSS'
    :root {
        color-scheme: light dark;
        --ground: #f6f5f1; --card: #fffefb; --ink: #1d1c1a; --soft: #5f5b53; --line: #e2dfd6; --code: #efede6;
        --good: #0b7052; --bad: #b3261e; --bad-ground: #fbe9e7; --good-ground: #e3f3ec; --warn: #7d5200;
        --admitted: #a9c9bb; --refused: #c0392b;
    }
    @media (prefers-color-scheme: dark) {
        :root {
            --ground: #151514; --card: #1f1e1c; --ink: #ecebe6; --soft: #aba79e; --line: #35332f; --code: #292825;
            --good: #45c796; --bad: #ff8f85; --bad-ground: #3a1f1c; --good-ground: #15302a; --warn: #e8b04a;
            --admitted: #3d5c51; --refused: #ff7a6e;
        }
    }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    body { margin: 0 auto; padding: 1.1rem clamp(.9rem, 3vw, 2.5rem) 2.5rem; max-width: 82rem; background: var(--ground);
        color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", "PingFang SC",
        "Microsoft YaHei", "WenQuanYi Micro Hei", sans-serif; }
    h1, h2, p, pre, figure { margin: 0; }
    h1 { font-size: 1.25rem; letter-spacing: -.01em; } h1 small, h2 small { font-weight: 400; font-size: .86rem; color: var(--soft); }
    h2 { margin: 0 0 .5rem; font-size: 1.06rem; line-height: 1.35; }
    small { font-size: .87em; color: var(--soft); }
    td code, .first code { white-space: pre-wrap; }
    code, pre { font: .87em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
    :focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }

    header { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; align-items: baseline; margin-bottom: 1rem; }
    header > p:not([class]) { flex: 1; min-width: 14rem; color: var(--soft); font-size: .91rem; overflow-wrap: anywhere; }
    .back { padding: .2rem 0; color: var(--soft); font-size: .91rem; }
    .languages { display: flex; gap: .2rem; font-size: .91rem; }
    .languages a { padding: .2rem .45rem; border-radius: 6px; color: var(--soft); }
    .languages a[aria-current] { background: var(--code); color: var(--ink); text-decoration: none; }
    .said, .warning { flex-basis: 100%; margin-top: .5rem; padding: .5rem .8rem; border-radius: 9px; overflow-wrap: anywhere; }
    .said, .answered { background: var(--good-ground); color: var(--good); font-weight: 600; }
    .said.bad, .warning, .answered.bad { background: var(--bad-ground); color: var(--bad); }
    .answered { flex-basis: 100%; display: flex; flex-wrap: wrap; align-items: center; gap: .3rem .8rem; margin-top: .5rem; padding-right: .8rem; border-radius: 9px; }
    .answered .said { flex: 1; min-width: 12rem; margin: 0; } .answered button { color: var(--ink); margin: .3rem 0; }
    .search { display: flex; flex-wrap: wrap; align-items: end; gap: .4rem .6rem; margin-bottom: 1rem; }
    .search label { display: flex; flex: 1; flex-wrap: wrap; align-items: center; gap: .2rem .6rem; color: var(--soft); font-size: .91rem; } .search input { flex: 1; min-width: 11rem; color: var(--ink); }

    button, .button, input { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 8px; background: var(--card);
        padding: .38rem .7rem; min-width: 0; }
    button, .button { cursor: pointer; font-weight: 600; font-size: .9rem; white-space: nowrap; min-height: 26px; text-decoration: none; }
    button:hover, .button:hover { background: var(--code); }
    button.main { border-color: transparent; background: var(--good); color: var(--card); }
    button.main:hover { background: color-mix(in srgb, var(--good) 88%, var(--ink)); }
    button.quiet { border: 0; background: none; padding: .38rem .2rem; font-weight: 400; color: var(--soft); text-decoration: underline;
        text-underline-offset: 3px; }
    .joined { display: inline-flex; } .joined button { border-radius: 8px 0 0 8px; border-right: 0; } .joined input { border-radius: 0 8px 8px 0; width: 3.6em; }

    section { min-width: 0; margin-bottom: 1rem; padding: .9rem 1.1rem; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
    .answer { font-size: 1.18rem; } .answer b { color: var(--bad); } .first { color: var(--soft); overflow-wrap: anywhere; } .first b, .first code { color: var(--ink); }
    .first:empty { display: none; }
    .plot { position: relative; margin-top: .7rem; border-bottom: 1px solid var(--line); border-top: 1px dashed var(--line); }
    .plot svg { display: block; width: 100%; height: 8.5rem; } .plot .most { position: absolute; top: .1rem; left: 0; font-size: .8rem; color: var(--soft); }
    rect.admitted { fill: var(--admitted); } rect.refused { fill: var(--refused); }
    .times { display: flex; justify-content: space-between; font-size: .8rem; color: var(--soft); font-variant-numeric: tabular-nums; }
    figcaption { display: flex; flex-wrap: wrap; gap: .1rem 1.3rem; margin-top: .3rem; font-size: .91rem; color: var(--soft); }
    figcaption b { color: var(--ink); font-variant-numeric: tabular-nums; } .alarm, .alarm b, .alarm th, .alarm td { color: var(--bad); }
    .key::before { content: ""; display: inline-block; width: .75em; height: .75em; margin-right: .4em; border-radius: 2px; }
    .key.refused::before { background: var(--refused); } .key.admitted::before { background: var(--admitted); }

    .pair { display: grid; grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); gap: 1rem; align-items: start; margin-bottom: 1rem; }
    .pair section { margin: 0; }
    .none, .note { color: var(--soft); font-size: .91rem; } .note { margin-top: .5rem; }
    table { width: 100%; border-collapse: collapse; font-size: .91rem; font-variant-numeric: tabular-nums; }
    th, td { padding: .34rem .8rem .34rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: baseline; overflow-wrap: anywhere; min-width: 6rem; }
    tr > :last-child { padding-right: 0; } tbody th { font-weight: 600; }
    thead th { font-weight: 600; color: var(--soft); white-space: nowrap; } thead > tr > * { border: 0; padding-top: 0; font-size: .87rem; }
    .n, .time { white-space: nowrap; min-width: 0; } .n { text-align: right; } th small { white-space: nowrap; font-weight: 400; } .part > * { border: 0; padding-top: 0; } .part th { padding-left: 1.1rem; font-weight: 400; color: var(--soft); }
    .do { width: 1%; min-width: 0; } .do form { display: flex; gap: .35rem; justify-content: flex-end; }
    .do button, .do .button, .do input { padding: .1rem .5rem; } .do .quiet { padding: .1rem .2rem; }
    .state::before { content: "●"; margin-right: .35em; font-size: .8em; } .watched time { white-space: nowrap; } .watched td { min-width: 7.5rem; } td small { white-space: nowrap; } .hint { white-space: normal; }
    .closed, .free { color: var(--good); } .open, .limited, .banned, .unknown { color: var(--bad); } .half-open { color: var(--warn); }
    .untouched { color: var(--soft); }

    .look { display: grid; grid-template-columns: 1fr 1fr .6fr 2fr auto auto; gap: .6rem .8rem; align-items: end; margin-bottom: .9rem; }
    .look :is(input:not([type=checkbox]), button) { height: 2.25rem; width: 100%; } .look label { display: grid; gap: .2rem; font-size: .87rem; color: var(--soft); }
    .look input { background: var(--ground); color: var(--ink); } .look .check { display: flex; align-items: center; gap: .45rem; height: 2.25rem; white-space: nowrap; }
    .check input { width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--good); }
    .look details { grid-column: 1 / -1; font-size: .91rem; color: var(--soft); } summary { cursor: pointer; min-height: 26px; color: var(--soft); font-size: .91rem; }
    .look pre { margin: .4rem 0; padding: .7rem .9rem; border-radius: 8px; background: var(--code); color: var(--ink); white-space: pre-wrap; }
    .numbers { padding: 0 1.1rem; } .numbers table { margin-top: .5rem; } .numbers th { width: 11rem; } .numbers .n { width: 9rem; padding-right: 1.4rem; }

    .login { max-width: 21rem; margin: 14vh auto 0; } .login .languages { justify-content: center; margin-top: 1rem; }
    .box { padding: 1.5rem; border: 1px solid var(--line); border-radius: 14px; background: var(--card); display: grid; gap: .9rem; }
    .box .said { margin: 0; } .box label { display: grid; gap: .25rem; color: var(--soft); font-size: .91rem; }
    .box input { padding: .5rem .7rem; background: var(--ground); color: var(--ink); } .box button { padding: .55rem; }

    @media (max-width: 62rem) { .watched td { min-width: 0; } .watched .do form { flex-wrap: wrap; } .pair { grid-template-columns: minmax(0, 1fr); } .look { grid-template-columns: 1fr 1fr; } .look .wide { grid-column: 1 / -1; } }
    @media (max-width: 46rem) {
        section { padding: .8rem .9rem; } .answer { font-size: 1.08rem; } .plot svg { height: 7rem; }
        .rows thead { display: none; } .rows tr { display: block; padding: .5rem 0; border-top: 1px solid var(--line); } .rows .part { padding: 0 0 .2rem; border: 0; }
        .rows :is(td, tbody th) { display: flex; gap: .5rem; width: auto; border: 0; padding: .08rem 0; text-align: left; white-space: normal; }
        .rows .part th { padding-left: 0; } .rows td[data-label]::before { content: attr(data-label); flex: 0 0 6.2rem; color: var(--soft); }
        .rows td:empty { display: none; } .do form { flex-wrap: wrap; justify-content: flex-start; margin: .25rem 0; } .do button, .do .button, .do input { padding: .3rem .6rem; }
        .numbers { padding: 0; } .numbers .rows th { width: auto; }
    }
    CSS;

const SCRIPT = <<<'JS'
    'use strict';
    // The page asks for itself, and takes over what has changed. Focus, input and selection stay.
    const EVERY_MS = 2000;

    function morph(old, now) {
        if (old.nodeType !== now.nodeType || old.nodeName !== now.nodeName) {
            old.replaceWith(now);
            return;
        }
        if (old.nodeType === Node.TEXT_NODE) {
            if (old.data !== now.data) {
                old.data = now.data;
            }
            return;
        }
        for (const {name, value} of [...now.attributes]) {
            if (old.getAttribute(name) !== value) {
                old.setAttribute(name, value);
            }
        }
        [...old.attributes].filter(({name}) => !now.hasAttribute(name)).forEach(({name}) => old.removeAttribute(name));
        const [olds, nows] = [[...old.childNodes], [...now.childNodes]];
        olds.slice(nows.length).forEach((node) => node.remove());
        nows.forEach((node, i) => olds[i] ? morph(olds[i], node) : old.append(node));
    }

    /** Rows may change places: a list stays while the pointer or the focus is on one of its buttons. */
    const isHeld = (part) => part.querySelector('form:hover, form:focus-within') !== null;

    async function refresh() {
        const search = new URLSearchParams(location.search).get('q') ?? '';
        const response = await fetch('?' + new URLSearchParams({live: '', q: search}));
        if (response.status === 401) {
            location.reload();
            return;
        }
        const page = new DOMParser().parseFromString(await response.text(), 'text/html');
        for (const part of document.querySelectorAll('[data-live]')) {
            const now = page.querySelector(`[data-live="${part.dataset.live}"]`);
            if (now && !isHeld(part)) {
                morph(part, now);
            }
        }
    }

    async function forever() {
        if (!document.hidden) {
            await refresh().catch(() => {});
        }
        setTimeout(forever, EVERY_MS);
    }
    setTimeout(forever, EVERY_MS);
    JS;

if (PHP_SAPI === 'cli') {
    if (get_included_files()[0] === __FILE__) {
        fwrite(STDERR, "ratelimit.php is a web page: RATELIMIT_PASSWORD=… php -S 127.0.0.1:8080 ratelimit.php. The command is bin/ratelimit\n");
        exit(2);
    }
    return; // bin/ratelimit uses the first section only
}

/** Answers without a page: what this PHP or its configuration lacks. */
function refuse(string $why): void
{
    Page::sendHeaders('');
    header('Content-Type: text/plain; charset=utf-8');
    http_response_code(503);
    echo "$why\n";
}

(static function (): void {
    if (!extension_loaded('ratelimit')) {
        refuse('ratelimit.php needs the PHP extension ratelimit.');
    } elseif (isset($_GET['metrics'])) {
        Metrics::send();
    } elseif (!extension_loaded('session')) {
        refuse('ratelimit.php needs the PHP extension session.');
    } elseif (($guard = Guard::fromConfiguration()) === null) {
        refuse('ratelimit.php has no password, so it shows nothing: see its first lines for how to set one.');
    } else {
        (new Page($guard))->answer();
    }
})();
