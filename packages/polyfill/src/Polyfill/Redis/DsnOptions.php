<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

/** Reads the options of a DSN. */
final class DsnOptions
{
    /** How a store asks its server; this package has neither a deny cache nor leases. */
    public const OF_STORE = ['timeout', 'connect_timeout', 'retry_delay', 'deny_cache', 'lease'];
    private const NAMES = ['db', ...self::OF_STORE, 'tls', 'ca', 'cert', 'key', 'verify_name', 'verify', 'sentinel_user', 'sentinel_password'];
    private const OF_TLS = ['ca', 'cert', 'key', 'verify_name', 'verify'];
    private const TIMEOUT_MAX_MS = 60_000;
    private const DELAY_MAX_MS = 3_600_000;
    private const SHOWN_MAX = 40;

    /** @var array<string, string> */
    private array $given = [];

    public function __construct(private readonly Dsn $dsn, private readonly bool $isUnix)
    {
    }

    /** @throws DsnError */
    public function read(#[\SensitiveParameter] string $options, bool $dbGiven): void
    {
        if ($dbGiven) {
            $this->given['db'] = '';
        }
        foreach (self::split($options) as $option) {
            [$name, $value] = explode('=', $option, 2) + [1 => ''];
            $this->check($name);
            $this->given[$name] = $value;
            $this->take($name, $value);
        }
        $this->checkTogether();
    }

    /**
     * Splits the options. An & may stand behind the last one.
     *
     * @return list<string>
     */
    public static function split(#[\SensitiveParameter] string $options): array
    {
        $list = explode('&', $options);
        if (end($list) === '') {
            array_pop($list);
        }
        return $list;
    }

    private function check(#[\SensitiveParameter] string $name): void
    {
        if (!\in_array($name, self::NAMES, true)) {
            /* Text behind an unencoded password may be part of it, so no message quotes it. */
            throw new DsnError(isset($this->given['sentinel_password'])
                ? 'there is no known option behind sentinel_password (write an & in it as %26)'
                : 'there is no option "' . substr($name, 0, self::SHOWN_MAX) . '" (there are: ' . implode(', ', self::NAMES) . ')');
        }
        if (isset($this->given[$name])) {
            throw new DsnError($name === 'db' ? 'the database is given twice' : "the option \"$name\" is given twice");
        }
        $ofTls = $name === 'tls' || \in_array($name, self::OF_TLS, true);
        if ((str_starts_with($name, 'sentinel_') && $this->dsn->kind !== Dsn::SENTINEL) || ($ofTls && $this->isUnix)) {
            throw new DsnError("the option \"$name\" is not allowed in this kind of DSN");
        }
    }

    private function take(string $name, #[\SensitiveParameter] string $value): void
    {
        $tls = $this->dsn->tls;
        match ($name) {
            'db' => $this->dsn->db = DsnParser::db($value, $this->dsn->kind),
            'timeout' => $this->dsn->timeoutMs = $this->ms($name, $value, self::TIMEOUT_MAX_MS),
            'connect_timeout' => $this->dsn->connectTimeoutMs = $this->ms($name, $value, self::TIMEOUT_MAX_MS),
            'retry_delay' => $this->dsn->retryDelayMs = $this->ms($name, $value, self::DELAY_MAX_MS),
            'deny_cache' => $value === 'window' || DsnParser::number($value, self::DELAY_MAX_MS) !== null
                || throw $this->refusal($name, 'between 0 and ' . self::DELAY_MAX_MS . ' milliseconds, or "window"'),
            'lease' => $value === 'auto' || $value === 'off' || throw $this->refusal($name, '"auto" or "off"'),
            'tls' => $tls->on = self::flag($name, $value),
            'ca' => $tls->ca = DsnParser::word($value, $name),
            'cert' => $tls->cert = DsnParser::word($value, $name),
            'key' => $tls->key = DsnParser::word($value, $name),
            'verify_name' => $tls->verifyName = DsnParser::word($value, $name),
            'verify' => $tls->verify = self::flag($name, $value),
            default => $this->dsn->sentinelLogin = new Login(
                $name === 'sentinel_user' ? DsnParser::text($value, $name) : $this->dsn->sentinelLogin->user ?? '',
                $name === 'sentinel_password' ? DsnParser::text($value, $name) : $this->dsn->sentinelLogin->password ?? '',
            ),
        };
    }

    private function ms(string $name, #[\SensitiveParameter] string $value, int $max): int
    {
        $ms = DsnParser::number($value, $max) ?? 0;
        return $ms > 0 ? $ms : throw $this->refusal($name, "between 1 and $max milliseconds");
    }

    /** Returns the refusal of a value, which it shows as it is written unless that may be a part of a password. */
    private function refusal(string $name, string $rule): DsnError
    {
        $shown = isset($this->given['sentinel_password']) ? '' : ', "' . substr($this->given[$name], 0, self::SHOWN_MAX) . '" given';
        return new DsnError("the option \"$name\" must be $rule$shown");
    }

    private static function flag(string $name, #[\SensitiveParameter] string $value): bool
    {
        return match ($value) {
            '0' => false,
            '1' => true,
            default => throw new DsnError("the option \"$name\" must be 0 or 1"),
        };
    }

    private function checkTogether(): void
    {
        foreach ($this->dsn->tls->on ? [] : self::OF_TLS as $name) {
            if (isset($this->given[$name])) {
                throw new DsnError("the option \"$name\" requires TLS (rediss://, or tls=1)");
            }
        }
        if (isset($this->given['key']) && !isset($this->given['cert'])) {
            throw new DsnError('the option "key" requires "cert"');
        }
        if (isset($this->given['sentinel_user']) && !isset($this->given['sentinel_password'])) {
            throw new DsnError('the option "sentinel_user" requires "sentinel_password"');
        }
    }
}
