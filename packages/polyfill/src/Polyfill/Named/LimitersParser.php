<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Named;

use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Guard\FailurePolicy;
use FrequencyLimit\Polyfill\Limit\LimitParser;
use FrequencyLimit\Polyfill\Redis\DsnError;
use FrequencyLimit\Polyfill\Redis\DsnParser;
use FrequencyLimit\Polyfill\Settings;

/** Parses the file of ratelimit.limiters, with the messages of the extension. */
final class LimitersParser
{
    private const BLANKS = " \t\r";
    private const VALUE_MAX = 1_023;

    /** @var array<string, NamedLimiter> */
    private array $limiters = [];
    /** null: before the first one, or it has a mistake. */
    private ?NamedLimiter $section = null;
    private bool $isDropped = false;
    private int $line = 1;
    /** The first mistake, with its line; null: there is none. */
    private ?string $problem = null;

    private function __construct()
    {
    }

    /** @return array{array<string, NamedLimiter>, ?string} the limiters without a mistake; the first mistake, with its line */
    public static function parse(#[\SensitiveParameter] string $text): array
    {
        $parser = new self();
        $parser->try(fn () => $parser->read($text));
        return [$parser->limiters, $parser->problem];
    }

    /** Drops the section that has a mistake, and keeps the first one. */
    private function try(\Closure $read): void
    {
        try {
            $read();
        } catch (\UnexpectedValueException $e) {
            $this->problem ??= "line $this->line: {$e->getMessage()}";
            unset($this->limiters[$this->section->name ?? '']);
            $this->section = null;
            $this->isDropped = true;
        }
    }

    private static function wrong(string $reason): \UnexpectedValueException
    {
        return new \UnexpectedValueException($reason);
    }

    private function read(#[\SensitiveParameter] string $text): void
    {
        if (str_contains($text, "\0")) {
            throw self::wrong('the file has NUL bytes');
        }
        $begin = str_starts_with($text, "\xef\xbb\xbf") ? 3 : 0; // the mark of UTF-8, which some editors write
        $lines = explode("\n", substr($text, $begin));
        if (end($lines) === '') {
            array_pop($lines);
        }
        foreach ($lines as $i => $line) {
            $this->line = $i + 1;
            $line = trim(self::withoutComment($line), self::BLANKS);
            if ($line === '' || $line[0] === '#' || ($this->isDropped && $line[0] !== '[')) {
                continue;
            }
            if ($line[0] === '[') {
                $this->try($this->endSection(...));
                $this->try(fn () => $this->begin($line));
            } else {
                $this->try(fn () => $this->entry($line));
            }
        }
        $this->try($this->endSection(...));
        if ($this->problem === null && !$this->limiters) {
            throw self::wrong('the file has no limiter');
        }
    }

    /** A semicolon outside of quotes begins a comment. */
    private static function withoutComment(#[\SensitiveParameter] string $line): string
    {
        $at = strcspn($line, '";');
        while ($at < \strlen($line) && $line[$at] === '"') {
            $end = strpos($line, '"', $at + 1);
            $at = $end === false ? \strlen($line) : $end + 1 + strcspn($line, '";', $end + 1);
        }
        return substr($line, 0, $at);
    }

    private function endSection(): void
    {
        if ($this->section === null) {
            return;
        }
        $name = $this->section->name;
        if (!$this->section->limits) {
            throw self::wrong("[$name] has no limit");
        }
        self::checkLabels($this->section);
    }

    /** All limits have a label or none has; there are neither shadow limits, nor exempt or refused identities beside several labels. */
    private static function checkLabels(NamedLimiter $section): void
    {
        $limits = $section->limits();
        $first = $limits[0]->by;
        $hasList = !$section->exempt->isEmpty() || !$section->refuse->isEmpty();
        foreach ($limits as $limit) {
            if (($limit->by === null) !== ($first === null)) {
                throw self::wrong("[$section->name] must have by= in all of its limits, or in none");
            }
            if ($limit->by === null) {
                continue;
            }
            if ($limit->shadow) {
                throw self::wrong("[$section->name] has limits with by=, which cannot be shadows");
            }
            if (\strlen($limit->by) + 1 + \strlen($section->name) > Bounds::NAME_MAX) {
                throw self::wrong("[$section->name] and by=$limit->by must be at most " . (Bounds::NAME_MAX - 1) . ' bytes long together');
            }
            if ($hasList && $limit->by !== $first) {
                throw self::wrong("[$section->name] has several labels (by=), beside which there is neither exempt nor refuse");
            }
        }
    }

    private function begin(string $line): void
    {
        $this->section = null;
        $this->isDropped = false;
        if (!str_ends_with($line, ']')) {
            throw self::wrong('a limiter looks like [login]');
        }
        $name = trim(substr($line, 1, -1), self::BLANKS);
        if ($name === '' || \strlen($name) > Bounds::NAME_MAX || isset($this->limiters[$name])) {
            throw self::wrong('a limiter needs a name of its own, of 1 to ' . Bounds::NAME_MAX . ' bytes, "' . substr($name, 0, 48) . '" given');
        }
        $this->section = $this->limiters[$name] = new NamedLimiter($name);
    }

    private function entry(#[\SensitiveParameter] string $line): void
    {
        $equals = strpos($line, '=');
        if ($equals === false || $equals === 0) {
            throw self::wrong('a line is [limiter], name = limit, a setting or a comment');
        }
        $section = $this->section ?? throw self::wrong('a limiter\'s name comes first, as [login]');
        $key = trim(substr($line, 0, $equals), self::BLANKS);
        $value = trim(substr($line, $equals + 1), self::BLANKS);
        if (\strlen($value) > 1 && $value[0] === '"' && str_ends_with($value, '"')) {
            $value = substr($value, 1, -1);
        }
        if (\strlen($key) > Bounds::NAME_MAX || \strlen($value) > self::VALUE_MAX) {
            throw self::wrong('the line is too long');
        }
        match ($key) {
            'store' => $section->store = $section->store === null ? self::store($value) : throw self::wrong("[$section->name] has two stores"),
            'on_failure' => $section->policy = FailurePolicy::parse($value)
                ?? throw self::wrong('on_failure must be local, local:1/N with an N from 2 to 10000, allow, deny or throw, "' . substr($value, 0, 32) . '" given'),
            'exempt', 'refuse' => self::addToList($key, $key === 'exempt' ? $section->exempt : $section->refuse, $value),
            default => self::limit($section, $key, $value),
        };
    }

    private static function store(#[\SensitiveParameter] string $value): string
    {
        try {
            if ($value !== Settings::EMBEDDED) {
                DsnParser::parse($value);
            }
            return $value;
        } catch (DsnError $e) {
            throw self::wrong('store must be "shm:" or the DSN of a Redis server: ' . $e->getMessage());
        }
    }

    private static function addToList(string $key, IdentityList $list, string $value): void
    {
        foreach (preg_split('/[, \t]+/', $value, -1, PREG_SPLIT_NO_EMPTY) ?: [] as $one) {
            if (\strlen($one) > Bounds::NAME_MAX) {
                throw self::wrong("$key must have identities of at most " . Bounds::NAME_MAX . ' bytes');
            }
            try {
                $list->add($one);
            } catch (\UnexpectedValueException $e) {
                throw self::wrong("$key {$e->getMessage()}");
            }
        }
    }

    private static function limit(NamedLimiter $section, string $key, #[\SensitiveParameter] string $value): void
    {
        if (\count($section->limits) === Bounds::LIMITS_MAX) {
            throw self::wrong('a limiter has at most ' . Bounds::LIMITS_MAX . ' limits');
        }
        try {
            $limit = LimitParser::parse($value);
        } catch (InvalidArgument $e) {
            /* The password of a store behind a mistyped key goes into no message. */
            throw self::wrong(str_contains($value, '://')
                ? '"' . substr($key, 0, 64) . '" is not a setting, and its value is not a limit; a DSN belongs to store'
                : str_replace('非法参数: ', '', $e->getMessage()));
        }
        self::checkName($section, $key, $limit->name);
        $section->limits[$key] = $value;
    }

    private static function checkName(NamedLimiter $section, string $key, ?string $name): void
    {
        if (\strlen($key) > Bounds::LIMIT_NAME_MAX) {
            throw self::wrong('the name of a limit must be at most ' . Bounds::LIMIT_NAME_MAX . ' bytes long');
        }
        if (preg_match('/[^\x20-\x7e]/', $key, $found) === 1) {
            throw self::wrong(sprintf('the name of a limit must be printable ASCII, byte 0x%02x given', \ord($found[0])));
        }
        if ($name !== null && $name !== $key) {
            throw self::wrong("the limit $key must have its key as its name, name=$name given");
        }
        if (isset($section->limits[$key])) {
            throw self::wrong("there are two limits $key");
        }
    }
}
