<?php

declare(strict_types=1);

namespace App;

/** An IP address as an identity that its owner cannot change at will. */
final class ClientAddress
{
    private const V4_MAPPED = "\0\0\0\0\0\0\0\0\0\0\xff\xff";

    /**
     * An IPv4 address is itself, also when it is written as ::ffff:192.0.2.1. IPv6 addresses are grouped by /64: that
     * is what one household or one server is given, 2^64 addresses to choose from.
     *
     * @throws \InvalidArgumentException
     */
    public static function identity(string $address): string
    {
        $withoutZone = explode('%', $address, 2)[0];
        $bytes = @inet_pton($withoutZone); // it warns of what the next line tells
        if ($bytes === false) {
            throw new \InvalidArgumentException("Not an IP address: $address");
        }
        if (str_starts_with($bytes, self::V4_MAPPED)) {
            $bytes = substr($bytes, strlen(self::V4_MAPPED));
        }
        if (strlen($bytes) === 4) {
            return inet_ntop($bytes);
        }
        return inet_ntop(substr($bytes, 0, 8) . str_repeat("\0", 8)) . '/64';
    }
}
