<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** Parses a DSN, with the messages of the extension. */
final class DsnParser
{
    private const ADDRESSES_MAX = 64;
    private const HOST_MAX = 255;
    private const SCHEMES = [
        'redis://' => [Dsn::SINGLE, 6379, false],
        'rediss://' => [Dsn::SINGLE, 6379, true],
        'unix://' => [Dsn::SINGLE, 0, false],
        'redis+sentinel://' => [Dsn::SENTINEL, 26379, false],
        'redis+cluster://' => [Dsn::CLUSTER, 6379, false],
    ];

    private readonly Dsn $dsn;

    private function __construct(#[\SensitiveParameter] string $text)
    {
        $this->dsn = new Dsn(Label::mask(Label::server($text)));
    }

    /** @throws DsnError */
    public static function parse(#[\SensitiveParameter] string $text): Dsn
    {
        foreach (self::SCHEMES as $scheme => [$kind, $port, $tls]) {
            if (str_starts_with($text, $scheme)) {
                $parser = new self($text);
                $parser->dsn->kind = $kind;
                $parser->dsn->tls->on = $tls;
                $port === 0 ? $parser->unix(substr($text, \strlen($scheme))) : $parser->network(substr($text, \strlen($scheme)), $port);
                return $parser->dsn;
            }
        }
        throw new DsnError('it must begin with redis://, rediss://, unix://, redis+sentinel:// or redis+cluster://');
    }

    private function network(#[\SensitiveParameter] string $rest, int $port): void
    {
        [$authority, $path, $options] = self::split($rest);
        self::checkCredentialsEnd(substr($rest, \strlen($authority)));
        $this->hosts($this->credentials($authority), $port);
        $dbGiven = false;
        $path = substr($path, 1);
        if ($this->dsn->kind === Dsn::SENTINEL) {
            if (str_contains($path, '/')) {
                throw new DsnError("the master's name must not contain a slash (write a database as ?db=n)");
            }
            $this->dsn->master = self::word($path, "master's name (…:port/name)");
        } elseif ($path !== '') {
            $this->dsn->db = self::db($path, $this->dsn->kind);
            $dbGiven = true;
        }
        (new DsnOptions($this->dsn, false))->read($options, $dbGiven);
    }

    private function unix(#[\SensitiveParameter] string $rest): void
    {
        [$authority, $path, $options] = self::split($rest);
        /* Without credentials the @ belongs to the path. */
        if ($authority !== '') {
            self::checkCredentialsEnd(substr($rest, \strlen($authority)));
            $authority = $this->credentials($authority);
        }
        if ($authority !== '' || $path === '') {
            throw new DsnError('the path of the socket must begin with a slash: unix:///path/to.sock');
        }
        $this->dsn->addresses = [new Address(self::word($path, 'path of the socket'), 0)];
        (new DsnOptions($this->dsn, true))->read($options, false);
    }

    /**
     * Returns the authority, the path, and the options.
     *
     * @return array{string, string, string}
     */
    private static function split(#[\SensitiveParameter] string $rest): array
    {
        $authority = substr($rest, 0, strcspn($rest, '/?#'));
        $behind = substr($rest, \strlen($authority));
        $path = substr($behind, 0, strcspn($behind, '?'));
        return [$authority, $path, substr($behind, \strlen($path) + 1)];
    }

    /**
     * An @ after the authority belongs to a password that was not encoded: nothing behind it may be read as a host, a path or
     * an option and be quoted.
     */
    private static function checkCredentialsEnd(#[\SensitiveParameter] string $behind): void
    {
        if (str_contains($behind, '@')) {
            throw new DsnError('a / ? or # in the user or password must be percent-encoded (%2F %3F %23), '
                . 'and so must an @ behind the host (%40)');
        }
    }

    /** Takes "user:password@" from the front of the authority. Returns the rest. */
    private function credentials(#[\SensitiveParameter] string $authority): string
    {
        $at = strrpos($authority, '@');
        if ($at === false) {
            return $authority;
        }
        $credentials = explode(':', substr($authority, 0, $at), 2);
        if (!isset($credentials[1])) {
            throw new DsnError('there is no password before the @: write user:password@, or :password@');
        }
        if ($credentials === ['', '']) {
            throw new DsnError('the user and the password are empty');
        }
        $this->dsn->login = new Login(self::text($credentials[0], 'user'), self::text($credentials[1], 'password'));
        return substr($authority, $at + 1);
    }

    private function hosts(#[\SensitiveParameter] string $list, int $port): void
    {
        $hosts = explode(',', $list);
        if (\count($hosts) > 1 && $this->dsn->kind === Dsn::SINGLE) {
            throw new DsnError('several hosts are allowed with redis+sentinel:// and redis+cluster:// only');
        }
        if (\count($hosts) > self::ADDRESSES_MAX) {
            throw new DsnError('there are more than ' . self::ADDRESSES_MAX . ' hosts');
        }
        $this->dsn->addresses = array_map(static fn (string $host): Address => self::host($host, $port), $hosts);
    }

    /** host, host:port, [v6] or [v6]:port */
    private static function host(#[\SensitiveParameter] string $text, int $port): Address
    {
        $host = substr($text, 0, strcspn($text, ':'));
        $rest = substr($text, \strlen($host));
        if (str_starts_with($text, '[')) {
            $end = strpos($text, ']');
            if ($end === false) {
                throw new DsnError('the ] of the IPv6 address is missing');
            }
            $host = substr($text, 1, $end - 1);
            $rest = substr($text, $end + 1);
        }
        if ($rest !== '') {
            $number = $rest[0] === ':' ? self::number(substr($rest, 1), 65535) : null;
            if ($number === null || $number < 1) {
                throw new DsnError('the port must be a number from 1 to 65535 (write an IPv6 address in brackets)');
            }
            $port = $number;
        }
        $host = self::word($host, 'host');
        if (\strlen($host) > self::HOST_MAX) {
            throw new DsnError('the host is longer than ' . self::HOST_MAX . ' bytes');
        }
        return new Address($host, $port);
    }

    /** Returns a number of digits, up to $max; null for any other text. */
    public static function number(#[\SensitiveParameter] string $text, int $max): ?int
    {
        return preg_match('/^[0-9]{1,18}$/D', $text) === 1 && (int) $text <= $max ? (int) $text : null;
    }

    public static function db(#[\SensitiveParameter] string $text, int $kind): int
    {
        $db = self::number($text, 2_147_483_647);
        if ($db === null) {
            throw new DsnError('the database must be a number from 0 to 2147483647');
        }
        if ($db > 0 && $kind === Dsn::CLUSTER) {
            throw new DsnError('a cluster has no database but 0');
        }
        return $db;
    }

    /** Decodes a text; it may be empty. */
    public static function text(#[\SensitiveParameter] string $text, string $what): string
    {
        if (preg_match('/%(?![0-9A-Fa-f]{2})/', $text) === 1) {
            throw new DsnError("a % in the $what is not followed by two hexadecimal digits (write a plain % as %25)");
        }
        return rawurldecode($text);
    }

    /** Decodes a text that is not empty, without NUL bytes. */
    public static function word(#[\SensitiveParameter] string $text, string $what): string
    {
        $word = self::text($text, $what);
        if ($word === '') {
            throw new DsnError("the $what is missing");
        }
        if (str_contains($word, "\0")) {
            throw new DsnError("the $what contains a NUL byte");
        }
        return $word;
    }
}
