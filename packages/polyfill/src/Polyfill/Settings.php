<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Guard\FailurePolicy;
use FrequencyLimit\Polyfill\Redis\DsnError;
use FrequencyLimit\Polyfill\Redis\DsnParser;
use FrequencyLimit\Polyfill\Redis\Label;
use FrequencyLimit\Polyfill\Request\Networks;

/**
 * The settings of this process. Each is, in this order: what set() has set; the environment variable (RATELIMIT_STORE); the
 * line of php.ini or of php -d (ratelimit.store), which PHP keeps for an extension that is not loaded; the default.
 */
final class Settings
{
    public const EMBEDDED = 'shm:';

    private const DEFAULTS = [
        'ratelimit.store' => self::EMBEDDED,
        'ratelimit.prefix' => 'act:limit:',
        'ratelimit.on_failure' => 'local',
        'ratelimit.limiters' => '',
        'ratelimit.enforce' => '1',
        'ratelimit.testing' => '0',
        'ratelimit.ipv6_prefix' => '64',
        'ratelimit.trusted_proxies' => '',
        'ratelimit_polyfill.warnings' => '1',
        'ratelimit_polyfill.client' => 'auto',
    ];
    private const PREFIX_MAX = 128;
    private const SWITCHES = ['' => false, '0' => false, 'off' => false, 'no' => false, 'false' => false,
        '1' => true, 'on' => true, 'yes' => true, 'true' => true];

    private static ?self $current = null;
    /** @var array<string, string> */
    private static array $set = [];
    /** Counts the changes, so that what was made by older settings is made anew. */
    private static int $version = 0;

    public readonly string $store;
    public readonly string $prefix;
    public readonly FailurePolicy $onFailure;
    public readonly string $limiters;
    /** False: each refusal passes, and Result::$shadow names its limit. */
    public readonly bool $enforce;
    public readonly bool $testing;
    public readonly int $ipv6Prefix;
    public readonly Networks $trustedProxies;
    public readonly bool $polyfillWarnings;
    public readonly string $client;

    private function __construct()
    {
        $this->polyfillWarnings = $this->switch('ratelimit_polyfill.warnings');
        $this->store = $this->read('ratelimit.store', self::storeOf(...));
        $this->prefix = $this->read('ratelimit.prefix', self::prefixOf(...));
        $this->onFailure = $this->read('ratelimit.on_failure', static fn (string $value): FailurePolicy => FailurePolicy::parse($value)
            ?? throw new \UnexpectedValueException('must be "local", "local:1/N" with an N from 2 to 10000, "allow", "deny" or "throw"'));
        $this->limiters = $this->read('ratelimit.limiters', self::pathOf(...));
        $this->enforce = $this->switch('ratelimit.enforce');
        $this->testing = $this->switch('ratelimit.testing');
        $this->ipv6Prefix = $this->read('ratelimit.ipv6_prefix', static fn (string $value): int => self::number($value, 1, 128, 'bits'));
        $this->trustedProxies = $this->read('ratelimit.trusted_proxies', Networks::parse(...));
        if (!isset(self::$set['ratelimit.trusted_proxies']) && $this->trustedProxies->haveEveryAddress()) {
            Warnings::configuration('ratelimit.trusted_proxies trusts every address, so any client can forge its own by X-Forwarded-For; '
                . 'list the addresses of your proxies only');
        }
        $this->client = $this->read('ratelimit_polyfill.client', static fn (string $value): string
            => \in_array($value, ['auto', 'phpredis', 'predis'], true) ? $value
            : throw new \UnexpectedValueException('must be "auto", "phpredis" or "predis"'));
    }

    public static function get(): self
    {
        return self::$current ??= new self();
    }

    /**
     * Sets a setting of this process, as ini_set() does with the extension; null: removes what was set.
     *
     * @param string $name such as "ratelimit.prefix"
     */
    public static function set(string $name, #[\SensitiveParameter] ?string $value): void
    {
        if (!isset(self::DEFAULTS[$name])) {
            throw new \InvalidArgumentException("ratelimit/polyfill has no setting \"$name\"");
        }
        if ($value === null) {
            unset(self::$set[$name]);
        } else {
            self::$set[$name] = $value;
        }
        self::$current = null;
        self::$version++;
    }

    public static function version(): int
    {
        return self::$version;
    }

    private static function text(string $name): string
    {
        if (isset(self::$set[$name])) {
            return self::$set[$name];
        }
        $variable = getenv(strtoupper(strtr($name, '.', '_')));
        if ($variable !== false) {
            return $variable;
        }
        $line = get_cfg_var($name);
        return \is_string($line) ? $line : self::DEFAULTS[$name];
    }

    /**
     * Reads a setting. A wrong value is a warning, and the default is used.
     *
     * @template T
     * @param \Closure(string): T $parse
     * @return T
     */
    private function read(string $name, \Closure $parse): mixed
    {
        try {
            return $parse(self::text($name));
        } catch (\UnexpectedValueException $e) {
            $default = self::DEFAULTS[$name];
            $scope = $name === 'ratelimit.store' ? ', so limits hold in this process only' : '';
            Warnings::configuration("$name {$e->getMessage()}; \"$default\" is used instead$scope");
            return $parse($default);
        }
    }

    private function switch(string $name): bool
    {
        return $this->read($name, static fn (string $value): bool => self::SWITCHES[strtolower($value)]
            ?? throw new \UnexpectedValueException('must be on or off, "' . substr($value, 0, 32) . '" given'));
    }

    private static function number(string $value, int $min, int $max, string $unit): int
    {
        $number = DsnParser::number($value, $max);
        if ($number === null || $number < $min) {
            throw new \UnexpectedValueException("must be between $min and $max $unit, \"" . substr($value, 0, 32) . '" given');
        }
        return $number;
    }

    private static function pathOf(string $value): string
    {
        if ($value !== '' && preg_match('~^(/|[A-Za-z]:[/\\\\])~', $value) !== 1) {
            throw new \UnexpectedValueException('must be an absolute path, or empty');
        }
        return $value;
    }

    private static function prefixOf(string $value): string
    {
        if (\strlen($value) > self::PREFIX_MAX) {
            throw new \UnexpectedValueException('must have at most ' . self::PREFIX_MAX . ' bytes');
        }
        return $value;
    }

    private static function storeOf(#[\SensitiveParameter] string $value): string
    {
        try {
            if ($value !== self::EMBEDDED) {
                DsnParser::parse($value);
            }
            return $value;
        } catch (DsnError $e) {
            throw new \UnexpectedValueException('must be "shm:" or the DSN of a Redis server: ' . $e->getMessage());
        }
    }

    /** Returns the store in use without its password. */
    public function maskedStore(): string
    {
        return $this->store === self::EMBEDDED ? self::EMBEDDED : Label::mask($this->store);
    }
}
