<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Named;

use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Polyfill\Time;

/**
 * Reads the file of ratelimit.limiters, and reads it again where it has changed. A file with a mistake changes nothing, but in a process
 * that has read none without: there its limiters without a mistake are in use.
 */
final class LimitersFile
{
    /** A change is taken up after one look, or two of them when the file was just being written. */
    private const LOOK_EVERY_US = 300_000;
    private const SETTLED_S = 1;
    private const BYTES_MAX = 1 << 20;

    /** @var array<string, self> by path */
    private static array $files = [];

    /** @var array<string, NamedLimiter> */
    private array $limiters = [];
    private bool $isRead = false;
    private int $lookAt = 0;
    /** Of the version that was read last, good or bad. */
    private string $signature = '';
    private ?string $problem = null;

    private function __construct(private readonly string $path)
    {
    }

    private static function current(): ?self
    {
        $path = Settings::get()->limiters;
        if ($path === '') {
            return null;
        }
        $file = self::$files[$path] ??= new self($path);
        $now = Time::trueMono();
        if ($now >= $file->lookAt) {
            $file->lookAt = $now + self::LOOK_EVERY_US;
            $file->look();
        }
        return $file;
    }

    /** Returns the limiter of that name as the file has it now; null: the file has none. */
    public static function find(string $name): ?NamedLimiter
    {
        return self::current()?->limiters[$name] ?? null;
    }

    /** @return array<string, NamedLimiter> all limiters of the file */
    public static function all(): array
    {
        return self::current()->limiters ?? [];
    }

    /** Returns why the file cannot be used as it is now; null: it can, or the setting is empty. */
    public static function problem(): ?string
    {
        return self::current()?->problem;
    }

    public static function notNamed(string $name): InvalidArgument
    {
        $given = '"' . substr($name, 0, 64) . '" given';
        $path = Settings::get()->limiters;
        $problem = self::problem();
        return Argument::invalid(match (true) {
            $path === '' => "\$name must be a limiter of Limiter::define(), or of the file of ratelimit.limiters, which is not set: $given",
            $problem !== null => "\$name must be a limiter of ratelimit.limiters, $given; $problem",
            default => "\$name must be a limiter of $path, $given: Limiter::define() has none of this name",
        });
    }

    private function look(): void
    {
        clearstatcache(true, $this->path);
        $stat = @stat($this->path);
        if ($stat === false) {
            $this->report('missing', 'No such file or directory');
            return;
        }
        $signature = "$stat[dev] $stat[ino] $stat[size] $stat[mtime] $stat[ctime]";
        if ($signature === $this->signature) {
            return;
        }
        $text = is_file($this->path) && $stat['size'] <= self::BYTES_MAX ? @file_get_contents($this->path) : false;
        if ($text === false) {
            $this->report($signature, is_file($this->path) ? 'it cannot be read' : 'it is no regular file');
            return;
        }
        $this->load($text, $signature);
        if (time() - $stat['mtime'] <= self::SETTLED_S) {
            $this->signature = ''; /* its writer may not have finished: the next look reads it again */
        }
    }

    private function load(#[\SensitiveParameter] string $text, string $signature): void
    {
        [$limiters, $problem] = LimitersParser::parse($text);
        if ($problem === null || !$this->isRead) {
            $this->limiters = $limiters;
            $this->isRead = $problem === null;
        }
        if ($problem === null) {
            $this->problem = null;
            $this->signature = $signature;
        } else {
            $this->report($signature, $problem);
        }
    }

    private function report(string $signature, string $reason): void
    {
        $problem = "$this->path: $reason";
        $isNew = $problem !== $this->problem;
        $this->signature = $signature;
        $this->problem = $problem;
        if ($isNew) {
            error_log("ratelimit: ratelimit.limiters: $problem; "
                . match (true) {
                    $this->isRead => 'the limiters that it had before stay in use',
                    $this->limiters !== [] => 'its other limiters are in use',
                    default => 'there are no named limiters',
                });
        }
    }
}
