<?php

declare(strict_types=1);

namespace App\Web;

use FrequencyLimit\Result;

/** What came of one press of a button. */
final class Answer
{
    /**
     * @param string|null $told what an article's controller said when it refused
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
     * A controller that says true or a text, and a look at what it has left behind.
     *
     * The look tells of the next call: where that one would pass, one permit more is left than it would leave.
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

    /** An illegal argument is the caller's mistake, not a matter of how often. */
    public function status(): int
    {
        if ($this->accepted) {
            return 200;
        }
        return str_starts_with($this->told ?? '', '非法参数') ? 400 : 429;
    }
}
