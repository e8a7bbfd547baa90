<?php

namespace Symfony\Component\Clock;

final class NativeClock implements ClockInterface
{
    private readonly \DateTimeZone $timezone;

    public function __construct(\DateTimeZone|string|null $timezone = null)
    {
        $this->timezone = $timezone instanceof \DateTimeZone ? $timezone : new \DateTimeZone($timezone ?? date_default_timezone_get());
    }

    public function now(): \DateTimeImmutable
    {
        return new \DateTimeImmutable('now', $this->timezone);
    }

    public function sleep(float|int $seconds): void
    {
        usleep((int) (1e6 * $seconds));
    }

    public function withTimeZone(\DateTimeZone|string $timezone): static
    {
        return new static($timezone);
    }
}
