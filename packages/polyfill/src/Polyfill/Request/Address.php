<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Request;

/** An IP address. One of IPv4 is kept as IPv6 keeps it. */
final class Address
{
    private const V4 = "\0\0\0\0\0\0\0\0\0\0\xff\xff";
    private const NAT64 = "\0\x64\xff\x9b\0\0\0\0\0\0\0\0";

    /** @param string $bytes 16 of them */
    private function __construct(public readonly string $bytes)
    {
    }

    /** Parses "192.0.2.1", "2001:db8::1", "fe80::1%eth0", and nothing else. */
    public static function parse(string $text): ?self
    {
        $text = explode('%', $text, 2)[0];
        $bytes = filter_var($text, FILTER_VALIDATE_IP) === false ? false : inet_pton($text);
        if ($bytes === false) {
            return null;
        }
        $bytes = \strlen($bytes) === 4 ? self::V4 . $bytes : $bytes;
        /* An IPv4 client behind a translator (RFC 6052): all such clients share one /64. */
        return new self(str_starts_with($bytes, self::NAT64) ? self::V4 . substr($bytes, 12) : $bytes);
    }

    /** Parses an address as proxies write it: perhaps with a port, and an IPv6 address then in brackets. */
    public static function parseNode(string $text): ?self
    {
        if (preg_match('/^\[([^\]]*:[^\]]*)\](?::[0-9]{1,5})?$/D', $text, $found) === 1) {
            return self::parse($found[1]);
        }
        /* A single colon precedes a port. */
        if (substr_count($text, ':') === 1) {
            return preg_match('/^([^:]*):[0-9]{1,5}$/D', $text, $found) === 1 ? self::parse($found[1]) : null;
        }
        return str_starts_with($text, '[') ? null : self::parse($text);
    }

    public function isV4(): bool
    {
        return str_starts_with($this->bytes, self::V4);
    }

    /** Returns whether the first bits are equal. */
    public function hasBitsOf(string $bytes, int $bits): bool
    {
        return self::masked($this->bytes, $bits) === self::masked($bytes, $bits);
    }

    private static function masked(string $bytes, int $bits): string
    {
        $whole = intdiv($bits, 8);
        $masked = substr($bytes, 0, $whole);
        if ($bits % 8 > 0) {
            $masked .= \chr(\ord($bytes[$whole]) & (0xff << 8 - $bits % 8) & 0xff);
        }
        return str_pad($masked, 16, "\0");
    }

    /** Returns the text: of IPv6 the network of so many bits. */
    public function text(int $ipv6Prefix): string
    {
        if ($this->isV4()) {
            return (string) inet_ntop(substr($this->bytes, 12));
        }
        return inet_ntop(self::masked($this->bytes, $ipv6Prefix)) . ($ipv6Prefix < 128 ? "/$ipv6Prefix" : '');
    }
}
