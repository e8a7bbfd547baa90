<?php

declare(strict_types=1);

namespace App\Web;

/**
 * The person at the browser, and the settings of the page. Cookies keep them, so that the page needs no session.
 *
 * Any visitor may act as any of the users: that is the purpose of the page.
 */
final class Visitor
{
    public const USERS = [7, 8];
    private const YEAR = 365 * 24 * 60 * 60;
    private const NOTES_MAX = 40;

    public readonly int $user;
    public readonly string $language;
    /** Whether the request names no user, or one that exists. */
    public readonly bool $isKnown;

    /** @var list<int> the moments that this browser has booked for the user */
    private array $booked;

    /**
     * @param array<string, mixed> $query
     * @param array<string, mixed> $cookies
     */
    public function __construct(array $query, private readonly array $cookies, string $acceptLanguage)
    {
        $user = $query['user'] ?? $cookies['user'] ?? null;
        $this->isKnown = !isset($query['user']) || in_array($query['user'], array_map(strval(...), self::USERS), true);
        $this->user = is_string($user) && in_array((int) $user, self::USERS, true) ? (int) $user : self::USERS[0];
        $language = $query['lang'] ?? $cookies['lang'] ?? null;
        $this->language = is_string($language) && in_array($language, Texts::LANGUAGES, true)
            ? $language
            : Texts::preferred($acceptLanguage);
        $noted = $cookies["booked$this->user"] ?? '';
        $this->booked = self::coming(array_map('intval', explode('.', is_string($noted) ? $noted : '')));
    }

    /** Keeps the choice of a link. */
    public function remember(): void
    {
        $this->keep('user', (string) $this->user);
        $this->keep('lang', $this->language);
    }

    /** @return list<int> unix times, in order */
    public function booked(): array
    {
        return $this->booked;
    }

    public function note(int $at): void
    {
        $this->noteAll([...$this->booked, $at]);
    }

    public function strike(int $at): void
    {
        $this->noteAll(array_diff($this->booked, [$at]));
    }

    public function strikeAll(): void
    {
        $this->noteAll([]);
    }

    /** @param array<int> $moments */
    private function noteAll(array $moments): void
    {
        $this->booked = self::coming($moments);
        $this->keep("booked$this->user", implode('.', $this->booked));
    }

    /**
     * @param array<int> $moments
     * @return list<int>
     */
    private static function coming(array $moments): array
    {
        $coming = array_filter(array_unique($moments), static fn (int $at): bool => $at > time());
        sort($coming);
        return array_slice($coming, 0, self::NOTES_MAX);
    }

    private function keep(string $name, string $value): void
    {
        if (($this->cookies[$name] ?? '') === $value) {
            return;
        }
        setcookie($name, $value, [
            'expires' => time() + self::YEAR,
            'path' => '/',
            'httponly' => true,
            'samesite' => 'Lax',
        ]);
    }
}
