<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Redis;

use FrequencyLimit\Polyfill\Guard\StoreFailure;
use FrequencyLimit\Polyfill\Time;

/**
 * Runs a script for one key or many: one round trip to each server involved. Each key is decided on its own, none twice. A
 * request is sent a second time only if the first was certainly not executed.
 */
final class ScriptCall
{
    /** Rounds without a pause: a node may redirect to another, that one to a third, and each may lack the script. */
    private const ROUNDS_AT_ONCE = 5;
    /** The most NOSCRIPT replies to one question: a SCRIPT FLUSH may come between any two commands. */
    private const NOSCRIPTS_MAX = 4;
    /** The longest pause between two rounds. */
    private const PAUSE_MAX_MS = 32;

    private static int $nonce = 0;

    /** @var array<int, Reply|StoreFailure> by the index of the key */
    private array $answers = [];
    /** @var array<int, Server> to ask once, after ASKING */
    private array $asking = [];
    /** @var array<int, int> NOSCRIPT replies to a question */
    private array $noscripts = [];
    private ?StoreFailure $later = null;

    /**
     * @param list<non-empty-list<string>>      $keys      those of each question, of which the first one has its server
     * @param string                            $question packed, without the nonce
     * @param \Closure(mixed, string): ?Reply   $read     reads a reply to the question with this nonce
     */
    public function __construct(
        private readonly Topology $topology,
        private readonly Script $script,
        private readonly array $keys,
        private readonly string $question,
        private readonly \Closure $read,
        private readonly int $timeoutMs,
    ) {
    }

    /** @return list<Reply|StoreFailure> */
    public function run(): array
    {
        $end = Time::trueMono() + $this->timeoutMs * 1000;
        $pauses = 0;
        for ($round = 0; \count($this->answers) < \count($this->keys); $round++) {
            if ($this->later !== null || $round >= self::ROUNDS_AT_ONCE) {
                $ms = min(1 << min($pauses++, 8), self::PAUSE_MAX_MS);
                if ($end - Time::trueMono() <= $ms * 1000) {
                    $this->giveUp();
                    break;
                }
                usleep($ms * 1000);
                $this->later = null;
            }
            $this->round();
        }
        ksort($this->answers);
        return array_values($this->answers);
    }

    private function giveUp(): void
    {
        foreach ($this->keys as $i => $_) {
            $this->answers[$i] ??= $this->later
                ?? new StoreFailure('Redis: too many redirects: the nodes disagree about the slots', StoreFailure::UNAVAILABLE);
        }
    }

    private function round(): void
    {
        foreach ($this->route() as [$server, $questions]) {
            $nonces = [];
            $commands = [];
            $scriptSent = false;
            foreach ($questions as $i) {
                if (isset($this->asking[$i])) {
                    $commands[] = ['ASKING'];
                }
                $nonces[$i] = Wire::put(self::nextNonce(), Wire::NONCE_BYTES);
                /* EVAL once is enough: Redis has cached the script by the time it reads the next command. */
                $sendScript = ($this->noscripts[$i] ?? 0) > 0 && !$scriptSent;
                $scriptSent = $scriptSent || $sendScript;
                $commands[] = [...($sendScript ? ['EVAL', $this->script->text] : ['EVALSHA', $this->script->sha1]),
                    (string) \count($this->keys[$i]), ...$this->keys[$i], $nonces[$i] . $this->question];
            }
            if ($commands) {
                $this->exchange($server, $commands, $nonces);
            }
        }
    }

    private static function nextNonce(): int
    {
        self::$nonce = self::$nonce === 0 ? random_int(1, 1 << 47) : self::$nonce + 1;
        return self::$nonce;
    }

    /**
     * Assigns every question without an answer to its server.
     *
     * @return list<array{Server, list<int>}>
     */
    private function route(): array
    {
        $routes = [];
        foreach ($this->keys as $i => [$key]) {
            if (isset($this->answers[$i])) {
                continue;
            }
            try {
                $server = $this->asking[$i] ?? $this->topology->server($key);
                $routes[spl_object_id($server)][0] = $server;
                $routes[spl_object_id($server)][1][] = $i;
            } catch (StoreFailure $e) {
                $this->answers[$i] = $e;
            }
        }
        return array_values($routes);
    }

    /**
     * @param non-empty-list<list<string>> $commands
     * @param array<int, string>           $nonces by the index of the key
     */
    private function exchange(Server $server, array $commands, array $nonces): void
    {
        try {
            $replies = $server->send($commands);
        } catch (StoreFailure $e) {
            $this->topology->lost($server);
            foreach ($nonces as $i => $_) {
                $this->answers[$i] = $e;
            }
            return;
        }
        $closes = false;
        foreach ($nonces as $i => $nonce) {
            if (isset($this->asking[$i])) {
                /* The reply to ASKING is ignored: the next one shows whether it worked. */
                array_shift($replies);
            }
            $reply = array_shift($replies);
            $asked = $this->asking[$i] ?? null;
            unset($this->asking[$i]);
            if ($reply instanceof ErrorReply) {
                $closes = $this->takeError($server, $i, $reply, $asked) || $closes;
                continue;
            }
            $answer = ($this->read)($reply, $nonce);
            $closes = $closes || $answer === null;
            $this->answers[$i] = $answer
                ?? $server->failure('the reply is no answer to the question', StoreFailure::UNAVAILABLE);
        }
        if ($closes) {
            $server->close();
        }
    }

    /** Takes the error reply to a question. Returns whether the connection should be closed. */
    private function takeError(Server $server, int $i, ErrorReply $reply, ?Server $asked): bool
    {
        $redirect = $this->topology->redirect($reply, $this->keys[$i][0], $server);
        if ($redirect->kind === Redirect::ASK && $redirect->server !== null) {
            $this->asking[$i] = $redirect->server;
            return false;
        }
        $failure = $server->failure($reply->getMessage(), $reply->status(), $reply->isAboutAWrite() || $reply->isAboutANewerState());
        if ($redirect->kind === Redirect::RETRY_LATER) {
            $this->later = $failure;
        }
        if ($redirect->kind !== Redirect::NONE) {
            return false;
        }
        if ($reply->is('NOSCRIPT')) {
            $this->noscripts[$i] = ($this->noscripts[$i] ?? 0) + 1;
            if ($this->noscripts[$i] < self::NOSCRIPTS_MAX) {
                if ($asked !== null) {
                    $this->asking[$i] = $asked; /* ASKING applied to one command only */
                }
                return false;
            }
            $failure = $server->failure(
                'NOSCRIPT again right after EVAL: the server does not keep the script',
                StoreFailure::UNAVAILABLE,
            );
        }
        $this->answers[$i] = $failure;
        /* A new connection may find another server, another user or other rights at the same address. */
        return $failure->status !== StoreFailure::WRONG_TYPE && !$reply->isForWantOfRoom() && !$reply->isAboutANewerState();
    }
}
