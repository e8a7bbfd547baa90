<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Named;

use FrequencyLimit\Polyfill\Limiter\Identities;
use FrequencyLimit\Polyfill\Request\Networks;

/** Identities of the file of ratelimit.limiters: texts, whole numbers in ranges, and addresses in networks. */
final class IdentityList
{
    /** @var list<string> */
    private array $ids = [];
    /** @var list<array{int, int}> the first and the last number */
    private array $ranges = [];
    /** @var list<Networks> */
    private array $networks = [];

    /**
     * Adds an identity, a range of numbers (1000..1999), an address or a network. A text with a slash is a network.
     *
     * @throws \UnexpectedValueException
     */
    public function add(string $one): void
    {
        try {
            $this->networks[] = Networks::parse($one);
            return;
        } catch (\UnexpectedValueException $e) {
            if (str_contains($one, '/')) {
                throw $e;
            }
        }
        [$first, $last] = explode('..', $one, 2) + [1 => ''];
        [$from, $to] = [self::number($first), self::number($last)];
        if ($from === null || $to === null) {
            $this->ids[] = $one;
        } elseif ($from > $to) {
            throw new \UnexpectedValueException('must have ranges from the lower number to the higher one, "' . substr($one, 0, 48) . '" given');
        } else {
            $this->ranges[] = [$from, $to];
        }
    }

    private static function number(string $text): ?int
    {
        return preg_match('/^-?[0-9]+$/D', $text) === 1 && is_numeric($text) && \is_int($text + 0) ? (int) $text : null;
    }

    public function isEmpty(): bool
    {
        return !$this->ids && !$this->ranges && !$this->networks;
    }

    public function has(int|string $id): bool
    {
        $text = (string) $id;
        if (\in_array($text, $this->ids, true)) {
            return true;
        }
        foreach (\is_int($id) ? $this->ranges : [] as [$first, $last]) {
            if ($id >= $first && $id <= $last) {
                return true;
            }
        }
        foreach ($this->networks as $networks) {
            if ($networks->containText($text)) {
                return true;
            }
        }
        return false;
    }
}
