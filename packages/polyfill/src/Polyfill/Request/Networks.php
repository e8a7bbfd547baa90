<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Request;

/** Addresses and networks, as ratelimit.trusted_proxies lists them. */
final class Networks
{
    private const NETWORKS_MAX = 256;
    private const V4 = "\0\0\0\0\0\0\0\0\0\0\xff\xff";

    /** @param list<array{Address, int, bool}> $networks address, bits, whether it is one of IPv4 */
    private function __construct(private readonly array $networks)
    {
    }

    /** @throws \UnexpectedValueException */
    public static function parse(string $list): self
    {
        $networks = [];
        foreach (preg_split('/[, \t\r\n]+/', $list, -1, PREG_SPLIT_NO_EMPTY) ?: [] as $text) {
            if (\count($networks) === self::NETWORKS_MAX) {
                throw new \UnexpectedValueException('must have at most ' . self::NETWORKS_MAX . ' addresses');
            }
            $networks[] = self::network($text) ?? throw new \UnexpectedValueException(
                'must be a list of addresses (192.0.2.1, 2001:db8::1) and networks (10.0.0.0/8), "' . substr($text, 0, 48) . '" given',
            );
        }
        return new self($networks);
    }

    /** @return array{Address, int, bool}|null */
    private static function network(string $text): ?array
    {
        [$host, $bits] = explode('/', $text, 2) + [1 => null];
        $address = str_contains($text, '%') ? null : Address::parse((string) $host);
        $isV4 = !str_contains($text, ':');
        $most = $isV4 ? 32 : 128;
        if ($address === null || ($bits !== null && (preg_match('/^[0-9]{1,3}$/D', $bits) !== 1 || (int) $bits > $most))) {
            return null;
        }
        $bits = $bits === null ? $most : (int) $bits;
        $bits += $isV4 ? 96 : 0;
        return [$address, $bits, $isV4 || (str_starts_with($address->bytes, self::V4) && $bits >= 96)];
    }

    /** Returns whether an identity is a network, with its slash. */
    public static function isNetwork(string $id): bool
    {
        return str_contains($id, '/') && self::network($id) !== null;
    }

    public function isEmpty(): bool
    {
        return !$this->networks;
    }

    /** Returns whether one of the networks is 0.0.0.0/0 or ::/0. */
    public function haveEveryAddress(): bool
    {
        foreach ($this->networks as [, $bits, $isV4]) {
            if ($bits === ($isV4 ? 96 : 0)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether one of the networks contains the address. */
    public function contain(Address $address): bool
    {
        return $this->containNetwork($address, 128);
    }

    /** Returns whether an identity is an address, or with a slash a network, within one of the networks. */
    public function containText(string $id): bool
    {
        if (str_contains($id, '/')) {
            [$address, $bits] = self::network($id) ?? [null, 0];
        } else {
            [$address, $bits] = [Address::parse($id), 128];
        }
        return $address !== null && $this->containNetwork($address, $bits);
    }

    private function containNetwork(Address $address, int $bitsOfAddress): bool
    {
        foreach ($this->networks as [$network, $bits, $isV4]) {
            if ($isV4 === $address->isV4() && $bits <= $bitsOfAddress && $address->hasBitsOf($network->bytes, $bits)) {
                return true;
            }
        }
        return false;
    }
}
