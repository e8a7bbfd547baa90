<?php

declare(strict_types=1);

namespace App\Web;

/** An answer to the browser. */
final class Response
{
    // The page loads nothing from another host, and has no inline script or style.
    private const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        . "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

    /** @param array<string, string> $headers */
    public function __construct(
        public readonly int $status,
        public readonly string $body,
        public readonly array $headers = [],
    ) {
    }

    /** @param array<string, string> $headers */
    public static function json(int $status, array $body, array $headers = []): self
    {
        $text = json_encode($body, JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE
            | JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR);
        return new self($status, "$text\n", $headers + ['Content-Type' => 'application/json; charset=utf-8']);
    }

    /** @param array<string, string> $headers */
    public static function html(int $status, string $body, array $headers = []): self
    {
        return new self($status, $body, $headers + ['Content-Type' => 'text/html; charset=utf-8']);
    }

    public static function seeOther(string $path): self
    {
        return new self(303, '', ['Location' => $path]);
    }

    public function send(): void
    {
        http_response_code($this->status);
        $always = [
            'Content-Security-Policy' => self::POLICY,
            'X-Content-Type-Options' => 'nosniff',
            'Referrer-Policy' => 'same-origin',
            'Cache-Control' => 'no-store',
        ];
        foreach ($this->headers + $always as $name => $value) {
            header("$name: $value");
        }
        echo $this->body;
    }
}
