<?php

declare(strict_types=1);

namespace App\Web;

use FrequencyLimit\Result;

/** The result of one press of a button. */
final class Answer
{
    /**
     * @param string|null $told the refusal text of a controller
     * @param array<string, string> $headers
     * @param float $us how long the decision took
     */
    private function __construct(
        public readonly bool $accepted,
        public readonly ?string $told,
        public readonly Result $facts,
        public readonly array $headers,
        public readonly float $us,
    ) {
    }

    public static function decided(Result $result, float $us): self
    {
        return new self($result->accepted, null, $result, $result->headers(), $us);
    }

    /**
     * Makes the answer of a controller that returns true or a text, from a peek() after it.
     *
     * The peek is about the next call: if that one would pass, one permit more is left than its Result has.
     */
    public static function told(bool|string $said, Result $look, float $us): self
    {
        $headers = $look->headers();
        if ($look->accepted) {
            $left = $look->remaining + 1;
            $headers['RateLimit'] = preg_replace('/;r=\d+/', ";r=$left", $headers['RateLimit'], 1);
        }
        if ($said === true) {
            unset($headers['Retry-After']);
        }
        return new self($said === true, $said === true ? null : $said, $look, $headers, $us);
    }

    /** Returns the HTTP status: an illegal argument is a mistake of the caller (400), and no refusal. */
    public function status(): int
    {
        if ($this->accepted) {
            return 200;
        }
        return str_starts_with($this->told ?? '', '非法参数') ? 400 : 429;
    }
}
