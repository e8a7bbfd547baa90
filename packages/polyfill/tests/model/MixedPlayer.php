<?php

declare(strict_types=1);

namespace Model;

/** Plays a program by turns on the polyfill of this process and on the extension of another one, with one limiter on one Redis. */
final class MixedPlayer implements Player
{
    public static int $own = 0;
    public static int $others = 0;
    private static int $programs = 0;

    private ExtensionPlayer $player;
    /** @var array<int, bool> by a permit's handle: whether the extension has it */
    private array $owners = [];
    private int $turn = 0;

    public function __construct(Program $program, private Time $time, private ExtensionChild $child)
    {
        $name = 'mixed' . getmypid() . '.' . self::$programs++;
        $this->player = new ExtensionPlayer($program, $time, $name);
        $child->send(['begin', $program, $name]);
    }

    public function play(array $call): ?string
    {
        switch ($call[0]) {
            case 'advance':
            case 'setBack':
                return $this->player->play($call);
            case 'limits':
                $this->child->send(['play', $call]);
                return $this->player->play($call);
            case 'settle':
            case 'cancelPermit':
            case 'release':
            case 'renew':
                return $this->by($this->owners[$call[2]] ?? false, $call);
        }
        $others = ++$this->turn % 2 === 0;
        if ($call[0] === 'acquire') {
            $this->owners[$call[3]] = $others;
        }
        return $this->by($others, $call);
    }

    private function by(bool $others, array $call): ?string
    {
        if (!$others) {
            self::$own++;
            return $this->player->play($call);
        }
        self::$others++;
        return $this->child->send(['play', $call]);
    }

    public function end(): void
    {
        $this->child->send(['end']);
        $this->player->end();
    }
}

/** Another PHP, with the extension, that plays what it is sent. */
final class ExtensionChild
{
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];

    public function __construct(string $repository)
    {
        $command = [PHP_BINARY, '-n', '-d', 'extension=' . (getenv('RATELIMIT_SO') ?: getenv('RATELIMIT_MODULE')), '-d', 'ratelimit.shm_path=private'];
        foreach (['store', 'testing', 'on_failure'] as $name) {
            array_push($command, '-d', "ratelimit.$name=\"" . get_cfg_var("ratelimit.$name") . '"');
        }
        array_push($command, '-d', 'date.timezone=UTC', '-d', 'memory_limit=512M', __DIR__ . '/extension.php', $repository);
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $this->pipes);
        if ($process === false) {
            throw new \Exception('the PHP with the extension does not start');
        }
        $this->process = $process;
    }

    public function __destruct()
    {
        fclose($this->pipes[0]);
        proc_close($this->process);
    }

    public function send(array $message): ?string
    {
        fwrite($this->pipes[0], base64_encode(serialize($message)) . "\n");
        $line = fgets($this->pipes[1]);
        if ($line === false) {
            throw new \Exception('the PHP with the extension has ended');
        }
        return unserialize(base64_decode($line));
    }
}
